from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.runners.plain import readable


def test_colours_and_commands_to_terminals_go() -> None:
    """Escape sequences leave nothing of themselves in the text."""
    raw = b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07link \x1b]8;;x\x1b\\end\x1b(B\x1bM \x1b]open"
    assert readable(raw) == "red link end "


def test_of_a_progress_bar_the_last_state_stays() -> None:
    """A line written over and over counts once; line ends of other systems are line ends."""
    assert readable(b" 1%\r50%\r100%\nnext\r\nlast\r") == "100%\nnext\nlast"


def test_binary_junk_becomes_text_without_control_characters() -> None:
    """NULs and other control characters go; tabs and line breaks stay."""
    assert (
        readable(b"a\x00b\x07c\td\n\xff\xfe")
        == "abc\td\n\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
    )


@given(st.binary(max_size=400))
def test_whatever_is_printed_is_clean_text(raw: bytes) -> None:
    """No byte sequence leaves a control character or anything that is no UTF-8."""
    text = readable(raw)
    assert text.encode().decode() == text
    unseen = [c for c in text if (c < " " or "\x7f" <= c < "\xa0") and c not in "\n\t"]
    assert unseen == []
