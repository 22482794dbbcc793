import json
import tomllib
from pathlib import Path

from msgspec.structs import replace

from subsessiond.adapters.runners.placeholders import fill, words_of
from subsessiond.model.brief import Grant
from subsessiond.model.role import Role, ToolClass
from tests.support.nodes import node_in


def test_only_our_words_are_replaced() -> None:
    """Braces of JSON and of shells stay, and what is put in is not looked at again."""
    words = {"node": "{scratch}", "scratch": "/s"}
    text = '{"a": {"b": "${HOME} {node} {scratch} {brief} {nodes}"}}'
    assert fill(text, words) == '{"a": {"b": "${HOME} {scratch} /s {brief} {nodes}"}}'


def test_the_shim_is_there_in_parts_and_whole(tmp_path: Path) -> None:
    """Program, arguments and whole command line of the shim are JSON where they are lists."""
    words = words_of(node_in(tmp_path), Path("/s"), "/run/x.sock", ("py", "-m", 'a"b'))
    assert fill("{workspace} {scratch} {socket}", words) == f"{tmp_path} /s /run/x.sock"
    assert fill("{shim_program}", words) == "py"
    assert json.loads(fill("{shim_args}", words)) == ["-m", 'a"b']
    assert json.loads(fill("{shim_command}", words)) == ["py", "-m", 'a"b']
    assert words_of(node_in(tmp_path), Path("/s"), "", ())["shim_program"] == ""


def test_what_a_child_may_use_decides_between_two_words(tmp_path: Path) -> None:
    """Each class chooses by role and grant, and who owns no file may not write any."""
    role = Role(name="r", tier="t", tools=(ToolClass.EDIT, ToolClass.READ))
    text = "Read{edit?,Edit:}{execute?,Bash:} {edit?allow:deny} {think?a:b} {other?a:b} {edit?a}"
    owner = replace(node_in(tmp_path), role=role, owns=("a/*",))
    granted = replace(owner, grant=Grant(tools=(ToolClass.EXECUTE,)))
    found = [
        fill(text, words_of(node, tmp_path, "", ()))
        for node in (owner, granted, replace(owner, owns=()))
    ]
    rest = "b {other?a:b} {edit?a}"
    assert found == [
        f"Read,Edit allow {rest}",
        f"Read,Edit,Bash allow {rest}",
        f"Read deny {rest}",
    ]


def test_something_is_said_once_for_each_folder(tmp_path: Path) -> None:
    """Paths are quoted as JSON and TOML read them; without a folder nothing is said."""
    paths = ("/w/a b", '/w/"é😀\x7f\n')
    text = "{x={folders?@=1,}{node}}"
    words = words_of(node_in(tmp_path), tmp_path, "", (), paths)
    said = fill(text, {**words, "node": "y=2"})
    assert said == '{x="/w/a b"=1,"/w/\\"é😀\\u007f\\n"=1,y=2}'
    assert tomllib.loads(said.replace("{x=", "x={", 1))["x"] == {paths[0]: 1, paths[1]: 1, "y": 2}
    assert fill(text, {"node": "."}) == "{x=.}"


def test_the_name_of_a_conversation_is_a_word(tmp_path: Path) -> None:
    """Where it is not known yet, the word stays."""
    words = words_of(node_in(tmp_path), tmp_path, "", ())
    assert fill("{session}", words) == "{session}"
    assert fill("{session}", {**words, "session": "s1"}) == "s1"
