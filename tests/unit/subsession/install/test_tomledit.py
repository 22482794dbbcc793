import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsession.install.jsonc import Unreadable
from subsession.install.tomledit import drop, find, parse, put

PATH = ("mcp_servers", "ours")
OURS = {"command": "/bin/x y", "args": ["mcp"], "env_vars": ["A", "B"]}

STATEMENTS = st.sampled_from(
    [
        "# about it\n",
        "\n",
        "[tools] # [mcp_servers.ours]\nweb = true\n",
        '[mcp_servers.other]\ncommand = "x" # mine\nargs = [\n  "[a]", # "\n  "b",\n]\n',
        '[notes]\ntext = """\n[mcp_servers.ours]\ncommand = 1\n"""\n',
        "[raw]\ntext = '''\n[mcp_servers.ours]\n'''\npath = 'C:\\'\n",
        '[[rows]]\n"odd key" = {a = [1, 2], b = "}"}\n',
        "[x.y]\nz = 1979-05-27T07:32:00Z\n",
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Write a file with some settings, and tables each of which is there once."""
    parts = draw(st.lists(STATEMENTS, unique=True, max_size=6))
    text = draw(st.sampled_from(["", 'model = "m"\n', "# top\n"])) + "".join(parts)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents())
def test_what_was_put_in_goes_to_the_last_byte(before: str) -> None:
    """A table comes to the end of the file and goes without a trace, comments and all untouched."""
    after = put(before, PATH, OURS)
    assert after.startswith(before)
    meant = tomllib.loads(before)
    servers = {**meant.get("mcp_servers", {}), "ours": OURS}
    assert tomllib.loads(after) == {**meant, "mcp_servers": servers}
    assert drop(after, PATH) == before


@given(documents(), documents())
def test_it_goes_from_the_middle_as_well(above: str, below: str) -> None:
    """What somebody has written below it since stays, the comment over the next table too."""
    tables = [line.strip() for line in below.splitlines() if line.startswith("[")]
    try:
        tomllib.loads(above + below)
    except tomllib.TOMLDecodeError:
        return  # the two do not make one file
    below = "".join(below.splitlines(keepends=True)[1:]) if below.startswith("model") else below
    after = put(above, PATH, OURS)
    assert drop(after + below, PATH) == above + below
    assert all(table in drop(after + below, PATH) for table in tables)


def test_its_own_tables_go_with_it() -> None:
    """A table below ours is a part of it, however it was added."""
    text = put("", PATH, OURS) + '[mcp_servers.ours.env]\nA = "1"\n\n# about\n[tools]\na = 1\n'
    assert drop(text, PATH) == "\n# about\n[tools]\na = 1\n"


def test_another_entry_under_the_name_is_replaced() -> None:
    """What stood there is gone, and ours is at the end."""
    after = put('[mcp_servers.ours]\ncommand = "old"\n\n[tools]\na = 1\n', PATH, {"command": "n"})
    assert after == '\n[tools]\na = 1\n\n[mcp_servers.ours]\ncommand = "n"\n'


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {ours = {command = "x"}}\n',
        '[mcp_servers]\nours = {command = "x"}\n',
        'mcp_servers.ours.command = "x"\n',
    ],
)
def test_what_has_no_header_of_its_own_is_left_to_the_person(text: str) -> None:
    """It is refused, with what is to be done, and nothing is guessed."""
    with pytest.raises(Unreadable, match="edited by hand: take it out"):
        drop(text, PATH)


def test_a_closed_table_above_is_left_to_the_person() -> None:
    """A table that is written in one line takes no more, by the rules of TOML."""
    with pytest.raises(Unreadable, match="edited by hand: add it"):
        put("mcp_servers = {}\n", PATH, OURS)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = 1\nb = [1,\nc", 3, 1), ("x = ", 1, 5), ("a = 1\na = 2\n", 2, 6)],
)
def test_what_is_wrong_is_said_with_its_place(text: str, line: int, column: int) -> None:
    """A file that is no TOML is refused by line and column."""
    with pytest.raises(Unreadable) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("text", ["a=" + "[" * 5_000 + "]" * 5_000, ".".join("a" * 5_000) + "=1"])
def test_what_is_nested_without_end_is_refused_in_words(text: str) -> None:
    """The library that reads it has no bound of its own."""
    with pytest.raises(Unreadable, match="nested too deep"):
        put(text, PATH, OURS)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30))
def test_any_text_is_written_so_that_it_is_read(text: str) -> None:
    """Quotes, backslashes and control characters of a path come back as they were."""
    value: dict[str, Any] = {"command": text, "args": [text, ""]}
    assert find(parse(put("", PATH, value)), PATH) == value
