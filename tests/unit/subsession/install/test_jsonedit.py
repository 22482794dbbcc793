from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsession.install.jsonc import Unreadable, parse
from subsession.install.jsonedit import append, drop, find, is_bare, put
from tests.support.jsontexts import KEYS, VALUES, documents

OURS = {"command": "/bin/x", "args": ["mcp"]}
PATH = ("servers", "ours")
OTHERS = st.dictionaries(st.sampled_from(["one", "two"]), VALUES, min_size=1, max_size=2)


@given(st.data(), OTHERS, st.dictionaries(KEYS, VALUES, max_size=3))
def test_what_was_put_in_goes_to_the_last_byte(
    data: st.DataObject, others: dict[str, Any], rest: dict[str, Any]
) -> None:
    """Beside other members, one comes and goes and leaves the text as it was, byte for byte."""
    before = data.draw(documents({**rest, "servers": others}))
    after, made = put(before, PATH, OURS)
    assert made == ()
    root = parse(after)
    assert root is not None
    assert root.value == {**rest, "servers": {**others, "ours": OURS}}
    assert drop(after, PATH) == before


@given(st.data(), st.dictionaries(KEYS.filter(lambda key: key != "servers"), VALUES, min_size=1))
def test_what_was_made_for_it_goes_too(data: st.DataObject, rest: dict[str, Any]) -> None:
    """An object that was missing is made beside the others, and taken out again without a trace."""
    before = data.draw(documents(rest))
    after, made = put(before, PATH, OURS)
    assert made == (("servers",),)
    bare = drop(after, PATH)
    assert is_bare(bare, ("servers",))
    assert drop(bare, ("servers",)) == before


@given(st.data(), VALUES.filter(lambda value: isinstance(value, dict)))
def test_an_edit_changes_what_it_should_and_nothing_else(data: st.DataObject, value: Any) -> None:
    """Whatever the document, it can be read and means the same but for the one member."""
    before = data.draw(documents(value))
    try:
        after, _ = put(before, PATH, OURS)
    except Unreadable:
        assert not isinstance(value.get("servers", {}), dict)
        return
    root = parse(after)
    assert root is not None
    expected = {**value, "servers": {**value.get("servers", {}), "ours": OURS}}
    assert root.value == expected
    for comment in ("// c", "/* c */", "// x"):
        assert after.count(comment) == before.count(comment)


@given(st.data(), st.lists(VALUES, max_size=3))
def test_entries_of_lists_come_and_go(data: st.DataObject, items: list[Any]) -> None:
    """An entry is put at the end of a list, and goes with its comma."""
    before = data.draw(documents({"hooks": {"Stop": items}}))
    after, made = append(before, ("hooks", "Stop"), OURS)
    assert made == ()
    node = find(parse(after), ("hooks", "Stop"))
    assert node is not None
    assert node.value == [*items, OURS]
    back = drop(after, ("hooks", "Stop", len(items)))
    root = parse(back)
    assert root is not None
    assert root.value == {"hooks": {"Stop": items}}
    if items:
        assert back == before


def test_what_is_written_looks_like_what_stands_there() -> None:
    """Indentation, ends of lines, comments at the end of a line and a last comma are taken over."""
    text = '{\r\n\t"servers": {\r\n\t\t"a": {}, // mine\r\n\t},\r\n}\r\n'
    after, _ = put(text, PATH, {"command": "x", "args": ["y", "z"]})
    assert after == (
        '{\r\n\t"servers": {\r\n\t\t"a": {}, // mine\r\n\t\t"ours": {\r\n\t\t\t"command": "x",'
        '\r\n\t\t\t"args": ["y", "z"]\r\n\t\t},\r\n\t},\r\n}\r\n'
    )


def test_one_line_stays_one_line() -> None:
    """A document without line ends gets none."""
    assert put('{"servers":{"a":1}}', PATH, OURS)[0] == (
        '{"servers":{"a":1, "ours": {"command": "/bin/x", "args": ["mcp"]}}}'
    )


def test_an_empty_file_becomes_a_document() -> None:
    """Comments that stand alone in it stay above; what was made is told, the document included."""
    assert put("", PATH, 1) == ('{\n  "servers": {\n    "ours": 1\n  }\n}\n', ((), ("servers",)))
    after, _ = put("// settings\n", PATH, 1)
    assert after.startswith('// settings\n{\n  "servers"')
    assert append("{}", ("hooks", "Stop"), 1)[1] == (("hooks",), ("hooks", "Stop"))


def test_a_member_that_is_there_is_replaced_where_it_stands() -> None:
    """Its neighbours and its comments stay; of two with one name the one that counts is it."""
    text = '{"servers": {"ours": 1 /* was */, "ours": 2, "b": 3}}'
    assert put(text, PATH, 4)[0] == '{"servers": {"ours": 1 /* was */, "ours": 4, "b": 3}}'


def test_what_somebody_wrote_beside_it_stays() -> None:
    """Comments and members that came after ours are left when it goes."""
    after, _ = put('{\n  "servers": {"a": 1}\n}', ("ours",), 1)
    edited = after.replace('"ours": 1', '// above\n  "ours": 1, // beside\n  "new": 2')
    assert drop(edited, ("ours",)) == (
        '{\n  "servers": {"a": 1},\n  // above // beside\n  "new": 2\n}'
    )


@pytest.mark.parametrize("text", ["[]", '{"servers": []}', '{"servers": null}', "3"])
def test_something_else_in_the_way_is_refused(text: str) -> None:
    """Where an object is needed and something else stands, nothing is written over it."""
    with pytest.raises(Unreadable, match="should be an object"):
        put(text, PATH, OURS)
    with pytest.raises(Unreadable, match="hooks should be a list"):
        append('{"hooks": {}}', ("hooks",), OURS)
