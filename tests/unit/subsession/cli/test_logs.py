import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import logs, main
from subsession.cli.logs import newest
from subsession.cli.voice import Voice
from tests.support.fake_daemon import Json, fake_daemon
from tests.support.rows import CHILD, child_row

Pages = list[Json]


def piece(n: int, kind: str, text: str) -> Json:
    """Make a piece."""
    return {"n": n, "at": 1, "kind": kind, "text": text}


def page(*records: Json, more: bool = False, live: bool = False) -> Json:
    """Make a page."""
    return {"records": list(records), "next": records[-1]["n"] if records else 0, "more": more,
            "live": live}  # fmt: skip


def serving(pages: Pages) -> tuple[dict[str, Any], list[Json]]:
    """Give what answers with one page after the other, and what it was asked."""
    asked: list[Json] = []

    def answer(params: Json) -> Json:
        asked.append(params)
        return pages[min(len(asked), len(pages)) - 1]

    tree = {"rows": [child_row("running")], "seq": 7, "resync": False}
    return {"subsession.transcript": answer, "subsession.tree": tree}, asked


@pytest.fixture
def say(path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, list[Json]]]:
    """Give what runs the verb on pages and gives what it printed and asked."""

    def run(pages: Pages, *words: str) -> tuple[str, list[Json]]:
        answers, asked = serving(pages)
        with fake_daemon(path, answers):
            assert main(["logs", CHILD, *words]) == 0
        return capsys.readouterr().out, asked

    return run


Say = Callable[..., tuple[str, list[Json]]]


def test_lines_say_whose_they_are(say: Say) -> None:
    """Each line bears its kind, and no control byte of an agent is obeyed."""
    found = page(piece(1, "in", "go\n"), piece(2, "out", "a\n\x1b[31mb\n"), piece(3, "err", "c"))
    out, asked = say([found])
    assert out == "in   go\nout  a\nout  \\x1b[31mb\nerr  c\n"
    assert "after" not in asked[0]


def test_only_the_newest_lines_are_shown(say: Say) -> None:
    """Lines are counted from the end, over pieces."""
    found = page(piece(1, "out", "a\nb\n"), piece(2, "err", "c\n"))
    assert say([found], "--lines", "2")[0] == "out  b\nerr  c\n"
    assert newest([piece(1, "out", "a\n")], 0) == []


def test_all_of_it_is_read_page_by_page(say: Say) -> None:
    """From the beginning, each page after the last, and then no more."""
    pages = [page(piece(1, "out", "a\n"), more=True), page(piece(2, "out", "b\n"))]
    out, asked = say(pages, "--lines", "0")
    assert out == "out  a\nout  b\n"
    assert [one["after"] for one in asked] == [0, 1]


def test_it_follows_until_the_child_has_ended(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """While more may come it is asked again, and once more after the end."""
    monkeypatch.setattr(logs, "_PACE_S", 0)
    pages = [page(piece(1, "out", "a\n"), live=True), page(piece(2, "out", "b\n")),
             page(piece(3, "out", "c\n"))]  # fmt: skip
    out, asked = say(pages, "--follow")
    assert out == "out  a\nout  b\nout  c\n"
    assert [one.get("after") for one in asked] == [None, 1, 2]


def test_raw_is_what_it_printed(say: Say) -> None:
    """Only its own output, without marks; a file gets it as it was."""
    found = page(piece(1, "in", "go\n"), piece(2, "out", "\x1b[31ma\n"), piece(3, "err", "b"))
    assert say([found], "--raw")[0] == "\x1b[31ma\nb"


def test_a_terminal_is_never_given_raw_bytes() -> None:
    """What is raw for a file is made safe for a terminal."""

    class Terminal(io.StringIO):
        encoding = "ascii"

        def isatty(self) -> bool:
            return True

    out = Terminal()
    Voice(out, io.StringIO(), as_json=False, environ={}).raw("\x1b[31mé\n")
    assert out.getvalue() == "\\x1b[31m\\xe9\n"


def test_json_is_one_piece_a_line(say: Say) -> None:
    """Programs get the pieces as they came."""
    found = page(piece(1, "out", "a\n"), piece(2, "note", "b\n"))
    out, _ = say([found], "--json", "--raw")
    assert [json.loads(line)["n"] for line in out.splitlines()] == [1, 2]
