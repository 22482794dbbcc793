"""New nodes from the command line."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD, ROOT


def make_repository(folder: Path) -> None:
    """Make a folder look like a repository."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def test_spawn_works_with_a_mission_alone(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a root a root is opened on the repository, and a worker goes below it."""
    make_repository(tmp_path / "repo")
    (tmp_path / "repo" / "src").mkdir()
    monkeypatch.chdir(tmp_path / "repo" / "src")
    answers: dict[str, Any] = {
        "subsession.tree": {"rows": [], "seq": 0, "resync": False},
        "subsession.open": {"nodeId": ROOT, "workspace": "/repo", "tokenCap": 5_000_000},
        "subsession.spawn": {"nodeId": CHILD, "state": "claimed", "warnings": ["narrow"]},
    }
    with fake_daemon(path, answers) as daemon:
        assert main(["spawn", "review src/"]) == exits.OK
        opened = daemon.params_of("subsession.open")
        spawned = daemon.params_of("subsession.spawn")
    assert opened == {"workspace": os.path.realpath(tmp_path / "repo")}
    assert spawned == {"role": "worker", "brief": {"mission": "review src/"}, "parentId": ROOT}
    said = capsys.readouterr()
    assert f"spawned {CHILD} (claimed)\nwarning: narrow" in said.out
    assert "opened root r00t01 on /repo" in said.err


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("{home}", "is your home folder"),
        ("/", "holds your home folder"),
        ("{home}/work", ""),
        ("{home}s", ""),
    ],
)
@pytest.mark.parametrize("verb", [["open"], ["spawn", "x"]], ids=["open", "spawn"])
def test_a_root_on_the_whole_home_folder_is_warned_of(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: list[str],
    folder: str,
    said: str,
) -> None:
    """It is opened as asked; what follows from it and the way back are said, in short lines."""
    monkeypatch.setenv("HOME", str(tmp_path))
    opened = folder.format(home=os.path.realpath(tmp_path))
    answers: dict[str, Any] = {
        "subsession.tree": {"rows": [], "seq": 0, "resync": False},
        "subsession.open": {"nodeId": ROOT, "workspace": opened, "tokenCap": 5},
        "subsession.spawn": {"nodeId": CHILD, "state": "claimed", "warnings": []},
    }
    with fake_daemon(path, answers):
        assert main(verb) == exits.OK
    told = capsys.readouterr().err
    assert ("your home folder" in told) == bool(said)
    assert said in told
    assert ("`subsession close r00t01` takes it back" in told) == bool(said)


def test_spawn_takes_the_newest_root_of_the_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roots of other folders, closed ones and older ones are passed over."""
    make_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    here = os.path.realpath(tmp_path)
    folders = {"0" * 25 + str(n): here if n in (1, 2, 4) else "/other" for n in range(1, 5)}
    rows = [{"nodeId": name, "state": "running", "seq": 1} for name in folders]
    rows[3]["state"] = "released"
    answers: dict[str, Any] = {
        "subsession.tree": {"rows": rows, "seq": 0, "resync": False},
        "subsession.node": lambda params: {"workspace": folders[params["nodeId"]]},
        "subsession.spawn": {"nodeId": CHILD, "state": "claimed", "warnings": []},
    }
    with fake_daemon(path, answers) as daemon:
        assert main(["spawn", "x"]) == exits.OK
        assert daemon.params_of("subsession.spawn")["parentId"] == "0" * 25 + "2"


def test_spawn_says_all_that_a_brief_can(path: Path, tmp_path: Path) -> None:
    """Options become fields of the brief, on top of a brief from a file."""
    (tmp_path / "b.json").write_text(json.dumps({"mission": "from file", "title": "t"}))
    admitted = {"nodeId": CHILD, "state": "claimed", "warnings": [], "wouldAdmit": True}
    words = (
        f"spawn --brief {tmp_path / 'b.json'} --parent {ROOT} --role lead --own src/** --own docs/ "
        "--token-cap 150k --depth 1 --verify files --section risks --report-tokens 400 "
        f"--deadline 5m --continues {CHILD} --allow-overlap --key k --check"
    ).split()
    with fake_daemon(path, {"subsession.spawn": admitted}) as daemon:
        assert main(words) == exits.OK
        assert daemon.params_of("subsession.spawn") == {
            "parentId": ROOT,
            "role": "lead",
            "allowOverlap": True,
            "idempotencyKey": "k",
            "checkOnly": True,
            "brief": {
                "mission": "from file",
                "title": "t",
                "ownedGlobs": ["src/**", "docs/"],
                "tokenCap": 150_000,
                "depthAllowance": 1,
                "verify": ["files"],
                "continues": CHILD,
                "deadlineMs": 300_000,
                "reportContract": {"requiredSections": ["risks"], "maxReportTokens": 400},
            },
        }


def test_run_hands_over_the_command_as_it_is(path: Path) -> None:
    """All behind -- is the command, options of its own and another -- included."""
    admitted = {"nodeId": CHILD, "state": "claimed", "warnings": []}
    words = ["run", "--parent", ROOT, "--", "pytest", "--json", "-q", "--", "a b"]
    with fake_daemon(path, {"subsession.spawn": admitted}) as daemon:
        assert main(words) == exits.OK
        sent = daemon.params_of("subsession.spawn")
    assert sent["argv"] == ["pytest", "--json", "-q", "--", "a b"]
    assert sent["role"] == "check"
    assert sent["brief"] == {
        "mission": "Run: pytest --json -q -- 'a b'",
        "title": "pytest --json -q -- 'a b'",
    }
