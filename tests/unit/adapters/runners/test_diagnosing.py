from subsessiond.adapters.runners.diagnosing import WORDS_BYTES, diagnostic_of
from subsessiond.core.scrub import Scrubber

SCRUBBER = Scrubber(())


def test_what_is_not_there_is_not_spoken_of() -> None:
    """Without a process, noise or long lines the runner's words stand alone, and may be none."""
    assert diagnostic_of(SCRUBBER, None, "it left", 0, "") == "it left"
    assert diagnostic_of(SCRUBBER, None, "", 0, "") == ""


def test_each_part_has_its_line_and_its_bound() -> None:
    """Words, lines that were not read, noise: in this order, each cut by itself."""
    words, lines, noise = diagnostic_of(SCRUBBER, None, "w" * 5_000, 2, "n" * 5_000).splitlines()
    assert len(words.encode()) == WORDS_BYTES
    assert lines == "lines that were too long and not read: 2"
    assert noise.startswith("no protocol: nnn")
    assert len(noise.encode()) == WORDS_BYTES + len("no protocol: ")


def test_secrets_are_taken_out_before_it_is_cut() -> None:
    """A key at the edge of a part leaves no half of itself."""
    key = "sk-ant-api03-" + "a1B2" * 20
    text = diagnostic_of(SCRUBBER, None, "w" * (WORDS_BYTES - 20) + " " + key, 0, key)
    assert "a1B2" not in text
