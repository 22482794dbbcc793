from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.ownership import owned_file, real_path
from subsessiond.ports import RunnerFault
from tests.support.nodes import node_in


def test_names_that_lead_to_the_same_file(tmp_path: Path) -> None:
    """Relative, absolute, dotted, linked and `file:` names give one path."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to("docs")
    (tmp_path / "docs/alias.md").symlink_to("a b.md")
    base = str(tmp_path)
    for name in (
        "docs/a b.md",
        f"{base}/docs/a b.md",
        "docs/../docs/./a b.md",
        "link/a b.md",
        "docs/alias.md",
        f"file://{base}/docs/a%20b.md",
        f"file://localhost{base}/docs/a b.md",
    ):
        assert real_path(base, name) == "docs/a b.md", name
    assert real_path(base, ".") == "."
    assert real_path("/", "/etc/x") == "etc/x"


def test_a_workspace_reached_through_a_link_is_the_same_workspace(tmp_path: Path) -> None:
    """A name below either spelling of the workspace lies inside."""
    (tmp_path / "real").mkdir()
    (tmp_path / "other").symlink_to("real")
    assert real_path(str(tmp_path / "other"), str(tmp_path / "real/x")) == "x"
    assert real_path(str(tmp_path / "real"), str(tmp_path / "other/x")) == "x"


def test_what_lies_outside_is_none(tmp_path: Path) -> None:
    """Names that leave, links that lead out, siblings with a common beginning, and no paths."""
    inside = tmp_path / "w"
    inside.mkdir()
    (tmp_path / "w2").mkdir()
    (inside / "out").symlink_to(tmp_path / "w2")
    (inside / "round").symlink_to("round")
    for name in (
        "../w2/x",
        str(tmp_path / "w2/x"),
        "out/x",
        "/etc/passwd",
        "a\0b",
        "",
        "file://elsewhere/x",
        "file://[",
        "half \ud800",
        "x" * 100_000,
    ):
        found = real_path(str(inside), name)
        assert found is None or found == name, name
    assert real_path(str(inside), "out/x") is None
    assert real_path(str(inside), "../w2/x") is None


@pytest.mark.parametrize(
    "name",
    [
        "~/.bashrc",
        "~root/x",
        " /etc/passwd",
        "/etc/passwd\n",
        "FILE:///etc/passwd",
        "file:/etc/passwd",
        "file:///{base}/a#/../../../../../../../etc/passwd",
        "file:///{base}/a?/../../../../../../../etc/passwd",
        "vscode-remote:///etc/passwd",
        "//../etc/passwd",
    ],
)
def test_what_some_would_read_as_another_file_is_none(tmp_path: Path, name: str) -> None:
    """Homes, blanks, addresses of any spelling: who owns everything owns no file behind them."""
    base = str(tmp_path)
    assert real_path(base, name.format(base=base)) is None
    assert real_path(base, "a:b/~x") == "a:b/~x"


def test_a_file_that_is_owned_has_a_place(tmp_path: Path) -> None:
    """The real place is given where one of the node's patterns covers it."""
    assert owned_file(node_in(tmp_path, "docs/**"), "docs/a.md") == tmp_path / "docs/a.md"
    with pytest.raises(RunnerFault, match="none of the files"):
        owned_file(node_in(tmp_path, "docs/**"), "src/a.py")
    with pytest.raises(RunnerFault, match="leaves the workspace"):
        owned_file(node_in(tmp_path, "**"), "/etc/passwd")


def test_patterns_that_are_none_cover_nothing(tmp_path: Path) -> None:
    """An owned text that is no pattern lets nothing through."""
    node = replace(node_in(tmp_path), owns=("[",))
    with pytest.raises(RunnerFault, match="none of the files"):
        owned_file(node, "a")
