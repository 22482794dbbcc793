"""Links, pipes and names planted where a journal would be: nothing outside is touched."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from subsessiond.adapters.journals.line import encode
from tests.support.journal_bench import Bench
from tests.support.ledger import child, line


def home_is_link(bench: Bench, outside: Path) -> None:
    """`.subsession` leads elsewhere."""
    (bench.workspace / ".subsession").symlink_to(outside)


def folder_is_link(bench: Bench, outside: Path) -> None:
    """`journals` leads elsewhere."""
    (bench.workspace / ".subsession").mkdir()
    (bench.workspace / ".subsession/journals").symlink_to(outside)


def file_is_link(bench: Bench, outside: Path) -> None:
    """The journal is a link to a file elsewhere."""
    bench.path.parent.mkdir(parents=True)
    bench.path.symlink_to(outside / "victim")


def file_is_dangling(bench: Bench, outside: Path) -> None:
    """The journal is a link to where nothing is."""
    bench.path.parent.mkdir(parents=True)
    bench.path.symlink_to(outside / "new")


def file_is_second_name(bench: Bench, outside: Path) -> None:
    """The journal is a hard link of a file elsewhere."""
    bench.path.parent.mkdir(parents=True)
    bench.path.hardlink_to(outside / "victim")


def file_is_pipe(bench: Bench, outside: Path) -> None:
    """The journal is a pipe that nobody reads."""
    bench.path.parent.mkdir(parents=True)
    os.mkfifo(bench.path)


PLANTS = (
    home_is_link, folder_is_link, file_is_link, file_is_dangling, file_is_second_name, file_is_pipe
)  # fmt: skip


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
async def test_planted_links_are_not_followed(
    bench: Bench, tmp_path: Path, plant: Callable[[Bench, Path], None]
) -> None:
    """S37: nothing outside is made, read or changed through what was planted; a warning says so."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(encode(bench.lines(1)[0]))
    before = [(p.name, p.read_bytes()) for p in outside.iterdir()]
    plant(bench, outside)
    assert await bench.add(1) == ()
    assert await bench.read() == ()
    assert [(p.name, p.read_bytes()) for p in outside.iterdir()] == before
    assert len(bench.told) == 2


@pytest.mark.parametrize("bad", ["../../x", "/tmp/x", "a/b", ".", "..", "0" * 25 + "\n", "A" * 26])
async def test_names_that_walk_are_refused(bench: Bench, bad: str) -> None:
    """S37: an id that this program did not make names no file."""
    walking = line(child(2, bench.mother, node_id=bad), 1)
    assert await bench.journals.append((walking,)) == ()
    assert await bench.journals.read(str(bench.workspace), walking.node_id, 1, 9) == ()
    assert "is no node id" in bench.told[0]
    assert "\n" not in bench.told[0]
    assert list(bench.path.parent.glob("*")) == []
