"""What a workspace promises, on real folders and links."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.ports import WorkspaceFault

pytestmark = pytest.mark.scenario("S32")


@pytest.fixture
def disk() -> Iterator[DiskWorkspace]:
    """The adapter under test; patient, because the machine may be busy."""
    made = DiskWorkspace(look_s=10)
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with files, a link inside, one to the outside and one that goes in a circle."""
    base = tmp_path / "work"
    (base / "src").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (base / "link").symlink_to(base / "src")
    (base / "out").symlink_to(tmp_path / "outside")
    (base / "round").symlink_to(base / "round")
    return base


async def test_a_workspace_has_one_name(disk: DiskWorkspace, folder: Path) -> None:
    """Every spelling of a folder gives its one real path."""
    alias = folder.parent / "alias"
    alias.symlink_to(folder)
    for spelling in (folder, alias, f"{folder}/", f"{folder}/src/..", alias / "link" / ".."):
        assert await disk.open(str(spelling)) == str(folder.resolve())


async def test_the_home_folder_may_be_abbreviated(
    disk: DiskWorkspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leading tilde means the user's own folder."""
    monkeypatch.setenv("HOME", str(folder))
    assert await disk.open("~/src") == str((folder / "src").resolve())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing-here", "No such file"),
        ("file", "it is not a folder"),
        ("round", "cannot be opened"),
        ("a\0b", "null"),
    ],
)
async def test_what_is_no_workspace_is_a_fault(
    disk: DiskWorkspace, folder: Path, name: str, words: str
) -> None:
    """A missing folder, a file, a circle of links and a bad name are faults in words."""
    (folder / "file").write_text("x")
    with pytest.raises(WorkspaceFault, match="cannot be opened") as caught:
        await disk.open(f"{folder}/{name}")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"), [(b"\xff\xfe", "not UTF-8"), (b"a\nb", "control"), (b"\x1b[31m", "control")]
)
@pytest.mark.parametrize("below", ["", "/sub"])
async def test_a_link_to_what_cannot_be_written_down_is_no_workspace(
    disk: DiskWorkspace, folder: Path, name: bytes, words: str, below: str
) -> None:
    """What the link is called says nothing; the one real name is what everybody is told."""
    real = os.fsencode(folder) + b"/" + name
    os.makedirs(real + b"/sub")
    (folder / "fair").symlink_to(os.fsdecode(real))
    with pytest.raises(WorkspaceFault, match=words):
        await disk.open(f"{folder}/fair{below}")


@pytest.mark.parametrize(
    ("spelled", "normal"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/", "src/**"),
        ("link/a.py", "src/a.py"),
        ("link/**/*.py", "src/**/*.py"),
        ("{src,link}/x", "{src/x,src/x}"),
        ("{link/a,lib/b}", "{src/a,lib/b}"),
        ("new/deep/file", "new/deep/file"),
        ("*.py", "*.py"),
        ("{base}/src/x", "src/x"),
        ("{base}/link/", "src/**"),
        ("{base}", "**"),
        ("{base}/", "**"),
        ("{base}/.", "**"),
        ("//{base}//src///x", "src/x"),
    ],
)
async def test_patterns_take_their_normal_form(
    disk: DiskWorkspace, folder: Path, spelled: str, normal: str
) -> None:
    """Dots, slashes, links and absolute spellings of one place come out the same."""
    text = spelled.replace("{base}", str(folder.resolve()))
    forms, faults = await disk.normal_forms(str(folder.resolve()), (text,))
    assert faults == ()
    assert forms == (normal,)


@pytest.mark.parametrize(
    ("spelled", "words"),
    [
        ("../x", "leaves the workspace"),
        ("/etc/passwd", "leaves the workspace"),
        ("/", "leaves the workspace"),
        ("out/x", "leaves the workspace through a link"),
        ("{src,out}/x", "leaves the workspace through a link"),
        ("round/x", "circle of links"),
        ("[", ""),
        ("", ""),
    ],
)
async def test_what_leaves_or_is_no_pattern_is_a_fault_of_its_field(
    disk: DiskWorkspace, folder: Path, spelled: str, words: str
) -> None:
    """A bad pattern is named by its place, keeps an empty form, and spares the others."""
    forms, faults = await disk.normal_forms(str(folder.resolve()), ("src/a", spelled, "b"))
    assert forms == ("src/a", "", "b")
    (fault,) = faults
    assert fault.path == "brief.ownedGlobs[1]"
    assert words in fault.problem


async def test_no_patterns_need_no_disk(disk: DiskWorkspace) -> None:
    """Without patterns nothing is looked at."""
    assert await disk.normal_forms("/nowhere", ()) == ((), ())


async def test_a_root_of_the_system_is_a_workspace(disk: DiskWorkspace) -> None:
    """The folder of everything works like any other."""
    assert await disk.open("/") == "/"
    forms, faults = await disk.normal_forms("/", ("/etc/hosts", "/"))
    assert (forms, faults) == (("etc/hosts", "**"), ())


async def test_names_may_be_compared_without_case(folder: Path) -> None:
    """Where files are compared without regard to case, so are patterns."""
    disk = DiskWorkspace(fold_case=True, look_s=10)
    forms, _ = await disk.normal_forms(str(folder.resolve()), ("Src/README.md",))
    disk.close()
    assert forms == ("src/readme.md",)
