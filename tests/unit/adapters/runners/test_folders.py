from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.folders import folders_for, owned_folders
from subsessiond.model.brief import Grant
from subsessiond.model.role import AgentProfile, Role, ToolClass
from subsessiond.ports import ChildOrder
from tests.support.nodes import node_in


@pytest.mark.parametrize(
    ("owns", "folders"),
    [
        (("src/**",), ["src"]),
        (("src/*.py",), ["src"]),
        (("src/app",), ["src/app"]),
        (("src/app/one.py",), ["src/app"]),
        (("src/app/two.py",), ["src/app"]),
        (("README.md",), [""]),
        (("**",), [""]),
        (("*.md",), [""]),
        (("{src,docs}/**",), ["docs", "src"]),
        (("src/**", "src/app/**", "srcs/**"), ["src", "srcs"]),
        (("new/deep/**", "new/er/one.py"), ["new/deep", "new/er"]),
        ((), []),
    ],
)
def test_folders_hold_all_and_are_the_smallest(
    tmp_path: Path, owns: tuple[str, ...], folders: list[str]
) -> None:
    """Each pattern's folder is there afterwards, and none lies in another."""
    (tmp_path / "src/app").mkdir(parents=True)
    (tmp_path / "src/app/one.py").touch()
    found = owned_folders(node_in(tmp_path, *owns))
    assert found == tuple(str(tmp_path / folder) for folder in folders)
    assert all(Path(folder).is_dir() for folder in found)


def test_who_may_not_write_has_none(tmp_path: Path) -> None:
    """Nor is one made for it; a class that was granted counts."""
    role = Role(name="r", tier="t", tools=(ToolClass.READ,))
    reader = replace(node_in(tmp_path, "new/**"), role=role)
    assert owned_folders(reader) == ()
    assert not (tmp_path / "new").exists()
    granted = replace(reader, grant=Grant(tools=(ToolClass.EDIT,)))
    assert owned_folders(granted) == (str(tmp_path / "new"),)


def test_a_link_out_of_the_workspace_opens_nothing(tmp_path: Path) -> None:
    """Neither where it leads nor the workspace around it; one that stays inside leads on."""
    work, other = tmp_path / "work", tmp_path / "other"
    (work / "real").mkdir(parents=True)
    other.mkdir()
    (work / "out").symlink_to(other)
    (work / "in").symlink_to("real")
    assert owned_folders(node_in(work, "out/**", "in/**")) == (str(work / "real"),)


def test_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    """What cannot be made is no folder to write in."""
    (tmp_path / "src").touch()
    with pytest.raises(OSError, match="Not a directory"):
        owned_folders(node_in(tmp_path, "src/app/**"))


@pytest.mark.parametrize("word", ["command", "resume"])
def test_none_is_made_for_a_profile_that_does_not_ask(tmp_path: Path, word: str) -> None:
    """Most agents have no use for them, and their workspaces stay as they are."""
    plain = AgentProfile(name="a", runner="jsonl", command=("x", "{workspace}"))
    node = node_in(tmp_path, "new/**")
    order = ChildOrder(node=node, profile=plain, opening="", env=(), token="t")
    assert folders_for(order) == ()
    assert not (tmp_path / "new").exists()
    asking = replace(plain, **{word: ("x", "{folders?@ }")})
    assert folders_for(replace(order, profile=asking)) == (str(tmp_path / "new"),)
