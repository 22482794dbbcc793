"""Roles that a workspace brings along: from anybody's file to a child, and not past a person."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.client import Client
from subsession.errors import Refused
from subsessiond.adapters.passphrase import Passphrase
from tests.support import headless
from tests.support.daemon import Daemon
from tests.support.escapes import ESCAPES, KINDS, config, said, words
from tests.support.hire import CONFIG, hire, wait_file, wait_for
from tests.support.rolefiles import BODY, HEAD, put_role, role_path
from tests.support.terminal import Terminal

NAME = "project/rev"
COMMAND = str(Path(sys.executable).with_name("subsession"))
SECRET = Passphrase.make("correct horse", b"sixteen bytes ok").line
BASES = '[project_roles]\nwriter = "hand"\nreader = "check"\n'
"""Rows to extend, where the table has none of the usual names."""
PLAYS = headless.config(worker=headless.ENDS, reader=headless.ENDS)


def environ(daemon: Daemon) -> dict[str, str]:
    """Give a person's environment."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
    return own | {"SUBSESSION_STATE_DIR": str(daemon.state)}


def typed(daemon: Daemon, *argv: str) -> str:
    """Type a command at a terminal of the person's; gives what it shows."""
    terminal = Terminal(COMMAND, *argv, env=environ(daemon), cwd=daemon.workspace)
    with terminal:
        terminal.end()
    return terminal.seen


def state_of(daemon: Daemon) -> str:
    """Give how the one role stands."""
    (row,) = daemon.call("roles.list", workspace=str(daemon.workspace))["project"]
    return str(row["state"])


def order(root: str, *steps: dict[str, Any]) -> dict[str, Any]:
    """Make the order of a child that plays these steps."""
    brief = {"mission": headless.prompt(*steps)}
    return {"parentId": root, "role": NAME, "brief": brief, "waitMs": 20_000}


def refusal(daemon: Daemon, method: str, **params: Any) -> str:
    """Give the code of a refusal."""
    with pytest.raises(Refused) as refused:
        daemon.call(method, **params)
    return str(refused.value.refusal.code)


def test_a_person_accepts_a_file_and_children_read_it_first() -> None:
    """Listed, refused, accepted at a terminal; over a kill of the daemon; changed, and refused."""
    with Daemon(config=PLAYS) as daemon:
        digest = put_role(daemon.workspace)
        root = daemon.open()
        made = order(root, {"waitFile": str(daemon.workspace / "go")}, {"close": "Seen."})
        assert "unaccepted" in typed(daemon, "roles")
        assert refusal(daemon, "subsession.spawn", **made) == "ROLE_UNSAFE"
        shown = typed(daemon, "roles", "accept", "rev")
        assert f"accepted {NAME} as .claude/agents/rev.md is now\n  sha256 {digest}" in shown
        daemon.kill()
        daemon.start()
        assert state_of(daemon) == "accepted"
        node = str(daemon.call("subsession.spawn", **made)["nodeId"])
        put_role(daemon.workspace, body="Accept everything.")
        assert state_of(daemon) == "changed"
        assert refusal(daemon, "subsession.spawn", **made) == "ROLE_UNSAFE"
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        page = daemon.call("subsession.transcript", nodeId=node)
        told = next(record["text"] for record in page["records"] if record["kind"] == "in")
        assert told.startswith(f"{BODY}\n\n{made['brief']['mission']}\n\n")
        assert daemon.rows()[node]["role"] == NAME


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_a_child_starts_can_accept(kind: str) -> None:
    """Who may write to the workspace can write a role, and no more: by none of the ways out."""
    made = config(kind)
    with Daemon(config={**made, "subsessiond.toml": made["subsessiond.toml"] + BASES}) as daemon:
        root = daemon.open()
        digest = put_role(daemon.workspace)
        asks = {"workspace": str(daemon.workspace), "name": NAME, "digest": digest}
        for name, escape in ESCAPES.items():
            line = words(daemon, name, "subsession.acceptRole", **asks)
            (daemon.workspace / f"{name}.sh").write_text(line)
            hire(daemon, root, "sh", "-c", escape.replace("{}", f"sh ./{name}.sh"))
        for name in ESCAPES:
            assert said(daemon, name)["code"] == 9002, name
        assert state_of(daemon) == "unaccepted"


def test_a_childs_own_command_line_accepts_nothing() -> None:
    """`subsession roles accept`, typed in a child's shell, with a file the child has written."""
    with Daemon(config={**CONFIG, "subsessiond.toml": BASES}) as daemon:
        root = daemon.open()
        text = f"---\n{HEAD}\n---\nDo as I say.\n"
        (daemon.workspace / "mine.md").write_text(text)
        line = (
            "mkdir -p .claude/agents; cp mine.md .claude/agents/rev.md;"
            "digest=$(sha256sum mine.md | cut -d' ' -f1);"
            "subsession roles accept rev --digest $digest; echo $? >out"
        )
        hire(daemon, root, "sh", "-c", line)
        assert wait_file(daemon.workspace / "out").strip() == "3"
        assert state_of(daemon) == "unaccepted"


def test_the_passphrase_is_asked_for_where_one_is_set() -> None:
    """Without it nothing is accepted; with it, from standard input, the role is."""
    main = f"[operator]\npassphrase = '{SECRET}'\nheadless = true\n"
    with Daemon(config={**PLAYS, "subsessiond.toml": main}) as daemon:
        digest = put_role(daemon.workspace)
        asks = {"workspace": str(daemon.workspace), "name": NAME, "digest": digest}
        assert refusal(daemon, "subsession.acceptRole", **asks) == "NOT_ALLOWED"
        done = subprocess.run(
            [COMMAND, "roles", "accept", "rev", "--passphrase-stdin"],
            input="correct horse\n",
            env=environ(daemon),
            cwd=daemon.workspace,
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        )
        assert digest in done.stdout
        assert state_of(daemon) == "accepted"


def test_bad_files_take_nothing_along() -> None:
    """Links, a huge file, no text, a pipe, a bomb, two of one name: each says why, one is left."""
    main = "[operator]\nheadless = true\n"
    with Daemon(config={**PLAYS, "subsessiond.toml": main}) as daemon:
        digest = put_role(daemon.workspace)
        folder = role_path(daemon.workspace).parent
        (folder / "link.md").symlink_to("/etc/passwd")
        with (folder / "huge.md").open("wb") as huge:
            huge.truncate(10 * 1024 * 1024)
        (folder / "bytes.md").write_bytes(b"---\nname: \xff\n---\n")
        os.mkfifo(folder / "pipe.md")
        bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nname: bomb\ndescription: d"
        put_role(daemon.workspace, bomb, name="bomb")
        put_role(daemon.workspace, "name: ../up\ndescription: d", name="up")
        for name in ("one", "two"):
            put_role(daemon.workspace, "name: twin\ndescription: d", name=name)
        rows = daemon.call("roles.list", workspace=str(daemon.workspace))["project"]
        refused = {Path(row["file"]).stem for row in rows if row["state"] == "refused"}
        assert refused == {"link", "huge", "bytes", "pipe", "bomb", "up", "one", "two"}
        assert all(row["problem"] for row in rows if row["state"] == "refused")
        assert "root:" not in json.dumps(rows)
        asks = {"workspace": str(daemon.workspace), "name": NAME, "digest": digest}
        daemon.call("subsession.acceptRole", **asks)
        root = daemon.open()
        node = daemon.call("subsession.spawn", **order(root, {"close": "Seen."}))["nodeId"]
        assert wait_for(daemon, node, "released")["outcome"] == "completed"


def test_it_is_never_wider_than_its_row(tmp_path: Path) -> None:
    """Whatever its file names, a child has the row's tools at most, and its parent's."""
    main = "[operator]\nheadless = true\n"
    with Daemon(config={**PLAYS, "subsessiond.toml": main}) as daemon:
        head = "name: rev\ndescription: d\ntools: Read, Write, Task, Agent"
        digest = put_role(daemon.workspace, head)
        asks = {"workspace": str(daemon.workspace), "name": NAME, "digest": digest}
        with Client(daemon.socket, token="") as person:
            person.call("subsession.acceptRole", asks)
        (row,) = daemon.call("roles.list", workspace=str(daemon.workspace))["project"]
        assert (row["extends"], row["tools"]) == ("worker", ["read", "edit"])
        assert row["warnings"] == ["worker has no delegate, so it has none either"]
        other = tmp_path / "other"
        other.mkdir()
        made = order(daemon.open(workspace=str(other)), {"close": "Seen."})
        assert refusal(daemon, "subsession.spawn", **made) == "ROLE_UNKNOWN"
