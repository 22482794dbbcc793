"""The `subsession` command against a stand-in: words, answers, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from subsession.cli import build_verbs, exits, main
from tests.support.fake_daemon import INFO, HangUp, Json, fake_daemon
from tests.support.rows import CHILD, ROOT, child_row, refuse

VERBS = [
    "up",
    "down",
    "status",
    "reload",
    "open",
    "spawn",
    "run",
    "tree",
    "show",
    "wait",
    "inbox",
    "blocked",
    "handover",
    "succeed",
    "steer",
    "cancel",
    "close",
    "release",
    "dismiss",
    "report",
    "checkpoint",
    "journal",
    "logs",
]


def test_every_verb_is_there_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Each verb has help; the exit codes are told."""
    for verb in VERBS:
        with pytest.raises(SystemExit) as caught:
            main([verb, "--help"])
        assert caught.value.code == 0
        assert f"subsession {verb}" in capsys.readouterr().out
    assert exits.LEGEND in build_verbs().parser.format_help()


def test_words_that_make_no_sense_are_code_2(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unknown verbs and options are told apart from refusals."""
    for words in (["paint"], ["tree", "--paint"], ["wait"], ["wait", "n", "--timeout", "soon"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == exits.USAGE
    with pytest.raises(SystemExit):
        main(["run", "ls", "-l"])
    assert "subsession run -- ls -l" in capsys.readouterr().err
    with fake_daemon(path):
        assert main(["spawn"]) == exits.USAGE
        assert main(["open", str(path)]) == exits.USAGE
        assert main(["run"]) == exits.USAGE
        assert main(["report", "x"]) == exits.USAGE


@pytest.mark.parametrize("words", [["--json", "tree"], ["tree", "--json"]])
def test_json_goes_before_and_behind_the_verb(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """With --json an answer is one document on one line."""
    answers = {"subsession.tree": {"rows": [child_row()], "seq": 7, "resync": False}}
    with fake_daemon(path, answers):
        assert main(words) == exits.OK
    out = capsys.readouterr().out
    assert json.loads(out)["seq"] == 7
    assert out.count("\n") == 1


def test_tree_prints_rows_and_a_summary(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Piped, the tree is plain text without colours."""
    answers = {"subsession.tree": {"rows": [child_row()], "seq": 7, "resync": False}}
    with fake_daemon(path, answers):
        assert main(["tree"]) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [
        "lint", "check", "✓", "completed", "in", "4s", "not", "reported", "ch1d01",
    ]  # fmt: skip
    assert lines[2] == "1 completed"


def test_a_refusal_is_a_sentence_and_code_3(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What happened, the numbers met and what to do next, on standard error."""
    with fake_daemon(path, {"subsession.spawn": refuse}):
        assert main(["spawn", "x", "--parent", ROOT]) == exits.REFUSED
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "subsession: as many nodes live as are allowed. [CONCURRENCY_EXCEEDED 1008]\n"
        "  limit 5, met 5\n"
        "  Nothing queues: wait until one has settled and spawn again.\n"
    )


def test_a_refusal_is_data_for_programs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the refusal is a document on standard output too."""
    with fake_daemon(path, {"subsession.spawn": refuse}):
        assert main(["--json", "spawn", "x", "--parent", ROOT]) == exits.REFUSED
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["limit"], error["retryable"]) == ("CONCURRENCY_EXCEEDED", 5, True)


def test_another_protocol_is_code_4(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A client and a daemon of different versions say so plainly."""
    with fake_daemon(path, {"daemon.info": {**INFO, "protocolVersion": 7}}):
        assert main(["tree"]) == exits.UNREACHABLE
    assert "speaks protocol 7" in capsys.readouterr().err


def test_a_daemon_that_goes_away_is_code_4(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A lost answer is told as one that may have arrived."""

    def hang_up(params: Json) -> Json:
        raise HangUp

    with fake_daemon(path, {"subsession.steer": hang_up}):
        assert main(["steer", CHILD, "hello"]) == exits.UNREACHABLE
    assert "may have arrived" in capsys.readouterr().err


def test_the_command_starts_light() -> None:
    """Nothing heavy is loaded: neither aiohttp nor the wire models nor what draws live trees."""
    program = (
        "import sys; from subsession.cli import build_verbs; build_verbs(); print(*sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20
    )
    loaded = {name.partition(".")[0] for name in found.stdout.split()}
    heavy = {"aiohttp", "asyncio", "msgspec", "pydantic", "rich", "structlog", "orjson", "logging"}
    assert not heavy & loaded
    assert "subsession" in loaded


def test_a_reader_that_leaves_is_no_trouble(path: Path) -> None:
    """`subsession tree | head -1` ends without a traceback."""
    rows = [child_row(nodeId="0" * 21 + f"{n:05}") for n in range(3_000)]
    with fake_daemon(path, {"subsession.tree": {"rows": rows, "seq": 7, "resync": False}}):
        order = [sys.executable, "-m", "subsession", "tree"]
        with subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
            assert asking.stdout is not None
            assert asking.stderr is not None
            asking.stdout.close()
            assert asking.stderr.read() == b""
            assert asking.wait(20) == exits.BROKEN_PIPE
