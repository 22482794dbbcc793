"""S13: a child's environment is made for it, not inherited from whoever started the daemon.

Not yet: agents that refuse to run nested.
"""

import json

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for

FOREIGN = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SESSION_ID": "foreign-session-4711",
    "CODEX_SANDBOX": "seatbelt-4711",
    "GEMINI_CLI": "1",
    "OPENCODE": "1",
    "VENDOR_API_KEY": "sk-secret-4711",
    "AWS_SECRET_ACCESS_KEY": "aws-secret-4711",
    "LD_PRELOAD": "",
    "PYTHONPATH": "/foreign-4711",
}
GIVEN = {"LANG": "de_DE.UTF-8", "LC_ALL": "", "TERM": "weird-4711", "PROXY_FOR_CHILDREN": "wanted"}
NESTED = (
    'test -z "$CLAUDECODE$CODEX_SANDBOX$GEMINI_CLI$OPENCODE" || exit 9; env -0 >seen; echo fine'
)


@pytest.mark.scenario("S13")
def test_a_child_sees_what_is_meant_for_it_and_nothing_else() -> None:
    """Host markers, foreign sessions and secrets stay out; path, home, locale and its id are in."""
    config = {
        **CONFIG,
        "subsessiond.toml": '[processes]\npass_environment = ["PROXY_FOR_CHILDREN"]\n',
    }
    with Daemon(config=config, environ={**FOREIGN, **GIVEN}) as daemon:
        root = daemon.open()
        node = hire(daemon, root, "sh", "-c", NESTED)
        row = wait_for(daemon, node, "released")
        assert row["outcome"] == "completed"
        words = (daemon.workspace / "seen").read_bytes().decode().rstrip("\0").split("\0")
        seen = dict(word.split("=", 1) for word in words)
        assert not seen.keys() & FOREIGN.keys()
        assert not any("4711" in value and name != "TERM" for name, value in seen.items())
        assert seen["SUBSESSION_NODE"] == node
        assert seen["SUBSESSION_SOCKET"] == str(daemon.socket)
        assert {"PATH", "HOME", "SUBSESSION_TOKEN"} <= seen.keys()
        assert seen["LANG"] == "de_DE.UTF-8"
        assert seen["PROXY_FOR_CHILDREN"] == "wanted"
        told = json.dumps([daemon.rows(), daemon.call("subsession.node", nodeId=node)])
        check_closing(daemon)
        daemon.stop()
        (daemon.workspace / "seen").unlink()
        kept = b"".join(p.read_bytes() for p in daemon.folder.rglob("*") if p.is_file())
        for secret in (*FOREIGN.values(), seen["SUBSESSION_TOKEN"], "wanted"):
            if len(secret) > 1:
                assert secret not in told
                assert secret.encode() not in kept or secret == "wanted"
