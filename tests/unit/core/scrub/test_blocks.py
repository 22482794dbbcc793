import pytest

from subsessiond.core.scrub.blocks import after_key_lines, find_blocks
from subsessiond.core.scrub.spans import joined, replaced_in_pieces

LINE = "MIIEowIBAAKCAQEA75c1" * 3 + "AbCd"
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


def scrub(text: str) -> str:
    """Take the blocks out of a text."""
    return replaced_in_pieces((text,), joined(find_blocks(text)))[0]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_block_goes_whole(kind: str) -> None:
    """From its first dash to its last, whatever kind of key it is."""
    text = f"a\n-----BEGIN {kind}PRIVATE KEY-----\n{LINE}\nab=\n-----END {kind}PRIVATE KEY-----\nb"
    assert scrub(text) == "a\n[removed]\nb"


def test_several_blocks_go_each() -> None:
    """What stands between two blocks stays."""
    block = f"{BEGIN}\n{LINE}\n{END}"
    assert scrub(f"{block}\nand\n{block}.") == "[removed]\nand\n[removed]."


def test_a_block_on_one_line_goes() -> None:
    """Line breaks that are written as a backslash and a letter are part of a block too."""
    assert scrub(f'"{BEGIN}\\n{LINE}\\n{END}\\n"') == '"[removed]\\n"'
    assert scrub(f'"{BEGIN}\\n{LINE}') == '"[removed]'


def test_a_block_without_an_end_reaches_to_the_end() -> None:
    """What was cut at its end is removed to its end, headers included."""
    assert scrub(f"a {BEGIN}\n{LINE}\nabc") == "a [removed]"
    assert scrub(f"a {BEGIN}\nProc-Type: 4,ENCRYPTED\n\n{LINE}\nabc") == "a [removed]"


def test_words_after_a_beginning_stay() -> None:
    """A sentence that quotes the first line of a key is no key."""
    assert scrub(f"expected {BEGIN} but found x") == "expected [removed] but found x"


def test_a_block_without_a_beginning_goes_from_its_first_line() -> None:
    """The lines before an end that can be a key's go with it, and no other."""
    assert scrub(f"log line\n{LINE}\n{LINE}\nMx=\n{END}\nb") == "log line\n[removed]\nb"
    assert scrub(f"{LINE[7:]}\n{END}") == "[removed]"
    assert scrub(f"{LINE[7:]}{END}\nb {END}") == "[removed]\n[removed]"


def test_public_keys_stay() -> None:
    """A certificate and a public key are no secret."""
    text = f"-----BEGIN CERTIFICATE-----\n{LINE}\n-----END CERTIFICATE-----"
    assert scrub(text) == text


def test_lines_of_a_key_are_passed_over() -> None:
    """The first line that can be none is where a text goes on; there is a most to it."""
    text = f"{LINE}\n{LINE}\nlog line"
    assert text[after_key_lines(text, 1_000) :] == "log line"
    assert after_key_lines(LINE, 1_000) == len(LINE)
    assert after_key_lines(f"{LINE}\n" * 100, 100) == 2 * (len(LINE) + 1)
    assert after_key_lines("log line", 1_000) == 0
