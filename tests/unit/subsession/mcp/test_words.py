import pytest

from subsession.mcp.words import Words, read_words


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ((), Words()),
        (("--workspace", "/a b"), Words(workspace="/a b")),
        (("--workspace=/a=b", "--resume=r"), Words(workspace="/a=b", resume="r")),
        (("--socket", "s", "--state-dir", "d"), Words(socket="s", state_dir="d")),
        (("--workspace", "--resume"), Words(workspace="--resume")),
        (("--workspace=",), Words(workspace="")),
    ],
)
def test_what_agents_write_is_read(given: tuple[str, ...], meant: Words) -> None:
    """Each option with its value, beside it or behind a sign."""
    assert read_words(given) == meant


@pytest.mark.parametrize(
    "given",
    [("--help",), ("-h",), ("folder",), ("--workspace",), ("--json",), ("--resume", "a", "b")],
)
def test_all_else_is_for_the_parser_of_all_verbs(given: tuple[str, ...]) -> None:
    """It has the words for what is wrong, and for help."""
    assert read_words(given) is None
