"""Roles as a person sees and accepts them."""

from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import Json, fake_daemon

ROW: Json = {
    "name": "worker",
    "tier": "t",
    "agent": "claude",
    "depthCap": 0,
    "tools": ["read", "edit"],
}
GOOD: Json = {
    "name": "project/rev",
    "workspace": "/w",
    "file": ".claude/agents/rev.md",
    "state": "changed",
    "digest": "a" * 64,
    "extends": "worker",
    "tools": ["read"],
    "description": "Reviews\x1b[31m " + "x" * 100,
    "warnings": ["its model is not looked at"],
}
BAD: Json = {
    "name": "project/bad.md",
    "workspace": "/w",
    "file": ".claude/agents/bad.md",
    "state": "refused",
    "problem": "is a link",
}


def test_roles_are_listed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the table, those of the folder with what is known of each, and what can be done."""
    answer = {"roles": [ROW], "project": [GOOD, BAD]}
    with fake_daemon(path, {"roles.list": answer}) as daemon:
        assert main(["roles", "--workspace", "/w"]) == exits.OK
        assert daemon.params_of("roles.list") == {"workspace": "/w"}
    assert capsys.readouterr().out.splitlines() == [
        "worker               claude         read,edit",
        "",
        "of this folder",
        "project/rev          changed     .claude/agents/rev.md",
        f"    Reviews\\x1b[31m {'x' * 53}…",
        "    as worker, tools read",
        "    note: its model is not looked at",
        f"    sha256 {'a' * 64}",
        "project/bad.md       refused     .claude/agents/bad.md",
        "    why: is a link",
        "",
        "next: read its file, then subsession roles accept NAME",
    ]


def test_where_there_is_nothing_it_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A daemon without roles has none."""
    with fake_daemon(path, {"roles.list": {"roles": []}}):
        assert main(["roles"]) == exits.OK
    assert capsys.readouterr().out == "no roles\n"


@pytest.mark.parametrize("name", ["rev", "project/rev"])
def test_what_was_listed_is_accepted(
    path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """The digest that goes along is the listed one, and it is shown."""
    accepted = {"name": "project/rev", "file": ".claude/agents/rev.md", "digest": "a" * 64}
    answers: Json = {
        "roles.list": {"roles": [], "project": [GOOD]},
        "subsession.acceptRole": {**accepted, "warnings": ["its model is not looked at"]},
    }
    with fake_daemon(path, answers) as daemon:
        assert main(["roles", "accept", name, "--workspace", "/w"]) == exits.OK
        assert daemon.params_of("subsession.acceptRole") == {
            "workspace": "/w",
            "name": "project/rev",
            "digest": "a" * 64,
        }
    assert capsys.readouterr().out.splitlines() == [
        "accepted project/rev as .claude/agents/rev.md is now",
        f"  sha256 {'a' * 64}",
        "  its model is not looked at",
    ]


@pytest.mark.parametrize(("words", "digest"), [(["--digest", "b" * 64], "b" * 64), ([], "0" * 64)])
def test_another_digest_may_be_named(path: Path, words: list[str], digest: str) -> None:
    """One that was written down, or none that could be: of that the daemon says what is wrong."""
    answers: Json = {"roles.list": {"roles": []}, "subsession.acceptRole": {}}
    with fake_daemon(path, answers) as daemon:
        main(["roles", "accept", "rev", *words])
        assert daemon.params_of("subsession.acceptRole")["digest"] == digest


@pytest.mark.parametrize(
    ("words", "why"), [(["accept"], "accept which?"), (["list", "rev"], "list takes no name")]
)
def test_a_slip_is_told(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    """Nothing is asked of the daemon."""
    with fake_daemon(path, {}):
        assert main(["roles", *words]) == exits.USAGE
    assert why in capsys.readouterr().err
