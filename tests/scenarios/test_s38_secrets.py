"""S38: secrets that programs put into error texts go no further than the program.

Not yet: the errors of model providers and of the agents' protocols.
"""

import base64
import json
import sys
from typing import Any, Final

import pytest

from tests.support.closing import within
from tests.support.daemon import Daemon
from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of, scenario

PIN: Final = "horse battery staple"
CODED: Final = base64.b64encode(b"user:" + PIN.encode() + b":x").decode()
BROKEN: Final = base64.b64encode(b"a certificate, " + PIN.encode() + b", and some more").decode()
MIXED: Final = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7h"
LINES: Final = (
    f"OpenAI said: incorrect key sk-proj-{MIXED} provided",
    f"github ghp_{MIXED} refused",
    f"AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/{MIXED[:18]}",
    f"sent Authorization: Bearer {MIXED[::-1]}",
    "GET https://api.test/v1?api_key=tr0ub4dor-query&model=x failed with 401",
    "cannot reach postgres://me:tr0ub4dor-url@db.test:5432/x",
    "HOME=/home/me",
    "MY_SERVICE_TOKEN=tr0ub4dor-dump and more",
    "LANG=C",
    f"the pin is {PIN}!",
    f"in base64 {CODED}.",
    "-----BEGIN RSA PRIVATE KEY-----",
    f"MIIEow{MIXED}{MIXED[:22]}",
    "MIIEowzz==",
    "-----END RSA PRIVATE KEY-----",
    "+ curl -s -u me:tr0ub4dor-curl https://api.test/",
    "+ mysqldump -uroot -ptr0ub4dor-mysql shop",
    "machine api.test login me password tr0ub4dor-netrc",
    "password:",
    "  tr0ub4dor-yaml",
    "in base64 over lines",
    *(BROKEN[at : at + 32] for at in range(0, len(BROKEN), 32)),
)
KEPT: Final = (
    *("incorrect key [removed] provided", "api_key=[removed]&model=x failed with 401"),
    *("-u me:[removed] https://api.test/", "-uroot -p[removed] shop", "password:\n  [removed]\n"),
    *("postgres://me:[removed]@db.test:5432/x", "HOME=/home/me", "LANG=C", "the pin is [removed]!"),
)
TRACES: Final = (
    *("tr0ub4dor", "MIIEow", "horse", "battery", base64.b64encode(PIN.encode()).decode()[4:12]),
    *(BROKEN[24:32], BROKEN[32:40]),
    *(MIXED[:6], MIXED[8:16], MIXED[-8:], MIXED[::-1][:8], "IOSFODNN7", "wJalrXUt"),
)
"""Parts of every secret; none of them is a part of anything else."""

PROGRAM: Final = """
import json, os, sys, time
lines = json.load(open("lines.json"))
err = sys.stderr.buffer
text = ("\\n".join(lines) + "\\n").encode()
for at in range(0, len(text), 7):  # every secret comes in several writes
    err.write(text[at : at + 7])
    err.flush()
if "--boundary" in sys.argv:
    err.write(lines[1].encode() + b"\\n" + b"." * (4_096 - 20) + b"\\n")
if "--flood" in sys.argv:
    for line in lines[:18] * 250:  # those that are secret on one line
        err.write(line.encode() + b" padding of this line\\n")
print(lines[0])
raise SystemExit(f"could not start with {lines[9]}")
"""


def hidden(text: str) -> list[str]:
    """Give the traces of secrets in a text."""
    return [trace for trace in TRACES if trace in text]


def files_of(daemon: Daemon) -> dict[str, str]:
    """Read what the daemon wrote, but what only the operator is shown, scrubbed."""
    found = [path for path in daemon.state.rglob("*") if path.is_file()]
    found += (daemon.workspace / ".subsession").rglob("*.jsonl")
    shown = [path for path in found if "transcripts" not in path.parts]
    return {str(path): path.read_bytes().decode("latin-1") for path in shown}


def run(yard: Yard, *words: str) -> str:
    """Run the program that tells everything, to its end."""
    (yard.workspace / "lines.json").write_text(json.dumps(LINES))
    (yard.workspace / "tell.py").write_text(PROGRAM)
    node = yard.hire(sys.executable, "tell.py", *words)
    yard.wait(node, "released")
    return node


def seen_of(yard: Yard, node: str) -> dict[str, str]:
    """Give everything that somebody may be shown of a child."""
    answers: dict[str, Any] = {
        "node": yard.call("subsession.node", nodeId=node),
        "tree": yard.daemon.rows(),
        "mail": yard.mail(),
        "letter": yard.call("subsession.handover", nodeId=node, action="letter"),
        "queue": yard.call("subsession.blocked"),
        "journal": yard.call("subsession.journal", nodeId=node),
    }
    return {name: json.dumps(answer, ensure_ascii=False) for name, answer in answers.items()}


@pytest.mark.scenario("S38")
@pytest.mark.parametrize("words", [(), ("--boundary",), ("--flood",)])
def test_secrets_of_a_failing_child_leave_nothing_behind(words: tuple[str, ...]) -> None:
    """No part of one is found in diagnostics, journals, store, log, mail, letters or transcripts;
    what stands around them is still to be read.
    """
    config = tables(more='[secrets]\nvalues_from = ["MY_PIN"]\n')
    with scenario(config, environ={"MY_PIN": PIN}) as yard:
        node = run(yard, *words)
        shown = yard.call("subsession.node", nodeId=node)["envelope"]
        assert "could not start with the pin is [removed]!" in shown["diagnostic"]
        assert len(shown["diagnostic"].encode()) <= 4_096
        if not words:
            assert all(kept in shown["diagnostic"] for kept in KEPT)
        assert "incorrect key [removed] provided" in shown["output"]
        within(lambda: _transcript(yard, node).count("could not start") != 1, "the transcript")
        said = {**seen_of(yard, node), "transcript": _transcript(yard, node)}
        assert {name: hidden(text) for name, text in said.items() if hidden(text)} == {}
        files = files_of(yard.daemon)
        assert {name: hidden(text) for name, text in files.items() if hidden(text)} == {}
        assert any(name.endswith("daemon.log") for name in files)


def _transcript(yard: Yard, node: str) -> str:
    """Read all that is kept of a transcript, page by page."""
    text, after, more = "", 0, True
    while more:
        page = yard.call("subsession.transcript", nodeId=node, after=after)
        text += "".join(record["text"] for record in page["records"])
        after, more = page["next"], page["more"]
    return text


@pytest.mark.scenario("S38")
def test_a_refusal_names_the_field_and_not_its_value() -> None:
    """A brief with a secret in a wrong field is refused by the field's name alone."""
    with scenario(tables()) as yard:
        secret = f"sk-proj-{MIXED}"
        wrong: list[dict[str, Any]] = [
            {"mission": {"key": secret}},
            {"mission": "work", "tokenCap": secret},
            {"mission": "work", "apiKey": secret},
            {"mission": "work", "ownedGlobs": [f"../{secret}"]},
        ]
        for brief in wrong:
            refused = refusal_of(yard.spawn, brief=brief)
            assert hidden(repr(refused)) == []
        assert {name for name, text in files_of(yard.daemon).items() if hidden(text)} == set()


@pytest.mark.scenario("S38")
def test_a_childs_own_report_is_its_own() -> None:
    """What a child chooses to say is passed on as it said it."""
    with scenario(tables()) as yard:
        child = yard.speaker()
        child.report("use password=swordfish for the test account", stage="finding")
        assert any("password=swordfish" in mail["text"] for mail in yard.mail())
        child.final()


@pytest.mark.scenario("S38")
def test_a_setting_that_gives_nothing_is_told() -> None:
    """A named variable that is too short or not set is a warning in the log, without its value."""
    config = {"subsessiond.toml": '[secrets]\nvalues_from = ["MY_PIN", "GONE"]\n'}
    with Daemon(config, environ={"MY_PIN": "q9z8x"}) as daemon:
        log = (daemon.state / "daemon.log").read_text()
    assert "MY_PIN has fewer than 6 characters" in log
    assert "GONE is not set" in log
    assert "q9z8x" not in log
