from pathlib import Path

import pytest

from subsessiond.adapters.transcripts.layout import file_name, first_numbers, folder_of
from subsessiond.model.ids import NodeId

NODE = NodeId("0" * 26)


def test_a_folder_is_named_by_an_id_alone(tmp_path: Path) -> None:
    """What is no id names no folder, so nothing leads out of where transcripts lie."""
    assert folder_of(tmp_path, NODE) == tmp_path / NODE
    for name in ("..", "a/b", "", NODE.upper() + "Z"):
        with pytest.raises(ValueError, match="not the id"):
            folder_of(tmp_path, NodeId(name))


def test_files_are_known_by_their_first_piece(tmp_path: Path) -> None:
    """Numbers come in order; what else lies there is none of ours."""
    assert first_numbers(tmp_path / "no") == ()
    for name in (file_name(30), file_name(4), "x.jsonl", "12.jsonl", "notes.txt"):
        (tmp_path / name).write_text("")
    assert first_numbers(tmp_path) == (4, 30)
    assert first_numbers(tmp_path / "notes.txt") == ()
