import json
from pathlib import Path

from subsessiond.adapters.runners.placeholders import fill, words_of
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
