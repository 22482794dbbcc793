import pytest

from subsessiond.adapters.transcripts.streams import PIECE_CHARACTERS, Stream, in_pieces

TEXT = "naïve €uro 🙂\nsecond\n"


@pytest.mark.parametrize("cut", range(len(TEXT.encode()) + 1))
def test_chunks_do_not_matter(cut: int) -> None:
    """Pieces are whole lines of whole characters, wherever the bytes were cut."""
    raw, stream = TEXT.encode(), Stream()
    pieces = [*stream.feed(raw[:cut]), *stream.feed(raw[cut:]), *stream.end()]
    assert "".join(text for text, _ in pieces) == TEXT
    assert all(text.endswith("\n") and not more for text, more in pieces)


def test_a_line_waits_for_its_end() -> None:
    """What has no line break yet is kept back until there is one, or nothing more comes."""
    stream = Stream()
    assert stream.feed(b"a\nb") == [("a\n", False)]
    assert stream.feed(b"c") == []
    assert stream.end() == [("bc", False)]
    assert stream.end() == []


def test_a_long_line_is_several_pieces() -> None:
    """Each but the last says that it goes on; nothing grows without a bound."""
    stream = Stream()
    line = b"x" * (2 * PIECE_CHARACTERS + 5)
    pieces = [*stream.feed(line), *stream.feed(b"y\nz")]
    assert [(len(text), more) for text, more in pieces] == [
        (PIECE_CHARACTERS, True),
        (PIECE_CHARACTERS, True),
        (5, True),
        (2, False),
    ]


def test_whole_lines_stay_together() -> None:
    """A text that is too long is split behind the last line that fits."""
    line = "x" * (PIECE_CHARACTERS - 10) + "\n"
    assert in_pieces(line * 2 + "end\n", more=False) == [(line, False), (line + "end\n", False)]
    assert in_pieces("", more=False) == []


def test_what_is_no_text_is_shown_as_what_it_is() -> None:
    """Bytes that are no UTF-8 become escapes, and so does half a character at the end."""
    stream = Stream()
    assert stream.feed(b"a\xffb\n\xe2\x82") == [("a\\xffb\n", False)]
    assert stream.end() == [("\\xe2\\x82", False)]


def test_a_line_with_a_hole_is_forgotten() -> None:
    """Both its halves go, also when the second comes in several chunks."""
    stream = Stream()
    assert stream.feed(b"a\nhalf \xe2") == [("a\n", False)]
    assert stream.break_off() == 5
    assert stream.feed(b"\x82 other") == []
    assert stream.feed(b" half\nb\n") == [("b\n", False)]


def test_words_are_not_split() -> None:
    """A long line is split behind a blank, where there is one near."""
    stream = Stream()
    pieces = stream.feed(b"x" * PIECE_CHARACTERS + b" word")
    assert pieces == [("x" * PIECE_CHARACTERS, True), (" ", True)]
    assert stream.end() == [("word", False)]
    text = "y" * (PIECE_CHARACTERS - 3) + " word\n"
    assert in_pieces(text, more=False) == [(text[:-5], True), ("word\n", False)]
