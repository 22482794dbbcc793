import os
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.acp.connection import AskedWrongly
from subsessiond.adapters.runners.acp.files import FILE_BYTES, TEXT_BYTES, Files
from subsessiond.adapters.runners.placing import write_inside
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.model.node import Node
from tests.support.nodes import node_in
from tests.support.policies import READER, WORKER


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A worker that owns `docs`, in a workspace of its own."""
    (tmp_path / "w").mkdir()
    return replace(node_in(tmp_path / "w", "docs/**"), role=WORKER)


@pytest.fixture
def files() -> Files:
    """File calls."""
    return Files(Refusals())


def refused(files: Files) -> list[str]:
    """Give the blockers of what was refused."""
    return [refusal.blocker for refusal in files._refusals.take()]  # noqa: SLF001


async def read(files: Files, node: Node, path: Any, **more: Any) -> Any:
    """Read; gives the text, or code and words of the error."""
    try:
        return (await files.read(node, {"path": path, **more}))["content"]
    except AskedWrongly as wrong:
        return (wrong.code, wrong.said)


async def write(files: Files, node: Node, path: Any, content: Any = "new") -> Any:
    """Write; gives nothing, or code and words of the error."""
    try:
        assert await files.write(node, {"path": path, "content": content}) == {}
    except AskedWrongly as wrong:
        return (wrong.code, wrong.said)


async def test_an_owned_file_is_written_whole(files: Files, node: Node) -> None:
    """Folders on the way are made, the text is exact, and nothing else is left."""
    base = Path(node.workspace)
    assert await write(files, node, f"{base}/docs/a/b.md", "é\r\nx") is None
    assert (base / "docs/a/b.md").read_bytes() == "é\r\nx".encode()
    assert await write(files, node, f"{base}/docs/a/b.md", "") is None
    assert os.listdir(base / "docs/a") == ["b.md"]
    assert (base / "docs/a/b.md").read_bytes() == b""


async def test_a_file_that_was_there_keeps_its_mode(files: Files, node: Node) -> None:
    """A script stays executable; another name of the same file is not written through."""
    script = Path(node.workspace) / "docs/run.sh"
    script.parent.mkdir()
    script.write_text("old")
    script.chmod(0o750)
    other = Path(node.workspace) / "other"
    other.hardlink_to(script)
    assert await write(files, node, "docs/run.sh") is None
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert script.read_text() == "new"
    assert other.read_text() == "old"


@pytest.mark.parametrize(
    ("path", "blocker"),
    [
        ("src/a.py", "fs write src/a.py"),
        ("docs/../src/a.py", "fs write src/a.py"),
        ("/etc/subsession-test", "fs write /etc/subsession-test"),
        ("docs/out/a", "fs write docs/out/a"),
        ("docs/in/a", "fs write src/a"),
        ("docs/leaf", "fs write docs/leaf"),
        (".", "fs write ."),
        ("../x", "fs write ../x"),
    ],
)
async def test_what_is_not_owned_is_refused_and_remembered(
    files: Files, node: Node, path: str, blocker: str
) -> None:
    """What counts is where a file really is; nothing is written, and the refusal names it."""
    base = Path(node.workspace)
    outside = base.parent / "outside"
    for folder in (outside, base / "docs", base / "src"):
        folder.mkdir()
    (base / "docs/out").symlink_to(outside)
    (base / "docs/in").symlink_to(base / "src")
    (base / "docs/leaf").symlink_to(outside / "leaf")
    code, words = await write(files, node, path)
    assert (code, words[:9]) == (-32603, "refused: ")
    assert refused(files) == [f"approval-required: {blocker}"]
    assert os.listdir(outside) == os.listdir(base / "src") == []
    assert not Path("/etc/subsession-test").exists()


async def test_a_role_without_edit_writes_nothing(files: Files, node: Node) -> None:
    """Owning a file is not enough."""
    code, _ = await write(files, replace(node, role=READER), "docs/a")
    assert code == -32603
    assert refused(files) == ["approval-required: fs write docs/a"]


async def test_a_link_inside_of_owned_files_is_followed_to_its_file(
    files: Files, node: Node
) -> None:
    """A link stays a link, and the owned file behind it is written."""
    docs = Path(node.workspace) / "docs"
    docs.mkdir()
    (docs / "link").symlink_to("real")
    assert await write(files, node, "docs/link") is None
    assert (docs / "real").read_text() == "new"
    assert (docs / "link").is_symlink()


@pytest.mark.parametrize("swapped", ["docs", "docs/deep", "docs/deep/file"])
def test_a_link_put_in_the_way_after_the_check_leads_nowhere(tmp_path: Path, swapped: str) -> None:
    """Between check and writing nothing can turn the way aside."""
    workspace, outside = tmp_path / "w", tmp_path / "outside"
    (workspace / swapped).parent.mkdir(parents=True)
    (outside / "deep").mkdir(parents=True)
    (outside / "file").write_text("old")
    (workspace / swapped).symlink_to(outside / ("file" if swapped.endswith("file") else ""))
    with pytest.raises(OSError, match=r"regular|symbolic|Not a directory"):
        write_inside(str(workspace), "docs/deep/file", b"new")
    assert (outside / "file").read_text() == "old"
    assert os.listdir(outside / "deep") == []


async def test_what_cannot_be_written_is_as_it_was(files: Files, node: Node) -> None:
    """A folder, a pipe or a file in the way, and a name that is too long, are errors in words."""
    docs = Path(node.workspace) / "docs"
    (docs / "folder").mkdir(parents=True)
    (docs / "file").write_text("old")
    os.mkfifo(docs / "pipe")
    for path in ("docs/folder", "docs/pipe", "docs/file/below", f"docs/{'x' * 300}"):
        code, words = await write(files, node, path)
        assert code == -32603
        assert words.startswith(path)
    assert sorted(os.listdir(docs)) == ["file", "folder", "pipe"]
    assert refused(files) == []


@pytest.mark.parametrize("path", [None, 3, "", [], {}])
async def test_what_is_asked_wrongly_is_told_so(files: Files, node: Node, path: Any) -> None:
    """A path or content of another type is the caller's mistake."""
    assert (await write(files, node, path))[0] == -32602
    assert (await write(files, node, "docs/a", None))[0] == -32602
    assert (await read(files, node, path))[0] == -32602


async def test_reading_is_never_blocked(files: Files, node: Node) -> None:
    """Any text file is read, inside or outside, by any role; what is no UTF-8 is replaced."""
    outside = Path(node.workspace).parent / "x"
    outside.write_bytes(b"caf\xe9\r\n")
    (Path(node.workspace) / "a").write_text("é")
    reader = replace(node, role=READER)
    assert await read(files, reader, str(outside)) == "caf�\r\n"
    assert await read(files, reader, "a") == "é"


@pytest.mark.parametrize(
    ("line", "limit", "text"),
    [
        (None, None, "1\n2\x0bb\n3"),
        (1, None, "1\n2\x0bb\n3"),
        (0, 1, "1\n"),
        (2, 1, "2\x0bb\n"),
        (2, None, "2\x0bb\n3"),
        (3, 9, "3"),
        (4, 1, ""),
        (None, 2, "1\n2\x0bb\n"),
        (None, 0, ""),
    ],
)
async def test_some_lines_are_read(
    files: Files, node: Node, line: int | None, limit: int | None, text: str
) -> None:
    """Lines are counted from 1 and end at line feeds alone."""
    (Path(node.workspace) / "a").write_text("1\n2\x0bb\n3")
    assert await read(files, node, "a", line=line, limit=limit) == text


@pytest.mark.parametrize("count", ["1", 1.5, True, -1, []])
async def test_counts_are_counts(files: Files, node: Node, count: Any) -> None:
    """A line or limit of another type is the caller's mistake."""
    assert (await read(files, node, "a", line=count))[0] == -32602
    assert (await read(files, node, "a", limit=count))[0] == -32602


async def test_what_is_no_file_is_not_read(files: Files, node: Node) -> None:
    """What is missing has its own code; folders, pipes and devices never hold a reader up."""
    base = Path(node.workspace)
    os.mkfifo(base / "pipe")
    assert await read(files, node, "none") == (-32002, "Resource not found: none")
    for path in ("pipe", ".", "/dev/zero", "/dev/tty", "a\0b"):
        assert (await read(files, node, path))[0] == -32603, path
    assert await read(files, node, "/proc/self/environ") == ""


async def test_what_is_too_long_is_read_in_parts(files: Files, node: Node) -> None:
    """A long text is refused as a whole and given by lines; a huge file is not looked into."""
    base = Path(node.workspace)
    (base / "long").write_text("x\n" * TEXT_BYTES)
    assert (await read(files, node, "long"))[0] == -32603
    assert await read(files, node, "long", line=TEXT_BYTES, limit=1) == "x\n"
    with (base / "huge").open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    assert (await read(files, node, "huge", line=1, limit=1))[0] == -32603


async def test_a_file_of_nothing_but_line_feeds_costs_no_more_than_its_bytes(
    files: Files, node: Node
) -> None:
    """To make millions of rows would take a gigabyte, and seconds in which nobody is served."""
    (Path(node.workspace) / "a").write_bytes(b"\n" * FILE_BYTES)
    tracemalloc.start()
    try:
        assert await read(files, node, "a", line=FILE_BYTES // 2, limit=2) == "\n\n"
        assert tracemalloc.get_traced_memory()[1] < 3 * FILE_BYTES
    finally:
        tracemalloc.stop()
