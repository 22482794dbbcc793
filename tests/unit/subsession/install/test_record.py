from pathlib import Path

import pytest

from subsession.install.record import NAME, Made, Record

MADE = Made(paths=((), ("a", "b")), file=True, folders=(Path("/x"),))


def test_what_was_made_is_known_to_the_next_run(tmp_path: Path) -> None:
    """It is kept on disk, for each file apart, until the file is as it was."""
    one, other = Path("/one"), Path("/other")
    Record(tmp_path / "state").note(one, MADE)
    Record(tmp_path / "state").note(other, Made(file=True))
    assert Record(tmp_path / "state").of(one) == MADE
    Record(tmp_path / "state").note(one, Made())
    assert Record(tmp_path / "state").of(one) == Made()
    assert Record(tmp_path / "state").of(other).file


def test_two_runs_made_what_either_made() -> None:
    """A second run that finds most of it there forgets nothing of the first."""
    assert Made(paths=(("a",),)).joined(Made(paths=(("a",), ("b",)), file=True)) == Made(
        paths=(("a",), ("b",)), file=True
    )


@pytest.mark.parametrize("text", ["", "[]", "{", '{"/one": 3}', '{"/one": {"paths": 3}}'])
def test_a_record_that_cannot_be_read_knows_nothing(tmp_path: Path, text: str) -> None:
    """Then empty objects stay behind, and nothing that is somebody's goes."""
    (tmp_path / NAME).write_text(text)
    assert Record(tmp_path).of(Path("/one")) == Made()
