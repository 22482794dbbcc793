import pytest

from subsessiond.adapters.runners.frames import SAMPLE_BYTES, SAMPLE_LINES, Frames, parse


def test_an_object_is_a_frame() -> None:
    """An object is given as it is; of a name given twice the last one counts."""
    frames = Frames()
    assert frames.read(b' {"id": 1, "id": 2, "x": [null, 1.5]} ') == {"id": 2, "x": [None, 1.5]}
    assert frames.noise == 0


@pytest.mark.parametrize(
    "line",
    [
        b"42",
        b'"text"',
        b"null",
        b"[]",
        b'[{"id":1}]',
        b"true",
        b"npm WARN old",
        b"{",
        b'{"a":}',
        b"\x00",
    ],
)
def test_everything_else_is_noise(line: bytes) -> None:
    """Values that are no objects and text that is no JSON are counted, and a sample is kept."""
    frames = Frames()
    assert frames.read(line) is None
    assert frames.noise == 1


def test_nesting_without_end_is_noise() -> None:
    """A line that is nested deeper than anybody reads ends nothing."""
    frames = Frames()
    assert frames.read(b'{"a":' * 200_000 + b"1" + b"}" * 200_000) is None
    assert frames.read(b"[" * 1_000_000) is None
    assert frames.read(b'{"id":1}') == {"id": 1}
    assert frames.noise == 2


@pytest.mark.parametrize("item", [b"[]", b"{}", b'{"a":[{}]}'])
def test_a_line_stuffed_with_values_is_noise(item: bytes) -> None:
    """To make millions of lists takes seconds, in which nobody else is served: it is not tried."""
    frames = Frames()
    line = b'{"id":1,"a":[' + b",".join([item] * 1_000_000) + b"]}"
    assert frames.read(line) is None
    assert frames.noise == 1
    assert frames.read(b'{"id":1,"a":"' + b"[]," * 1_000_000 + b'"}') is not None


def test_broken_text_inside_of_a_frame_does_not_lose_the_frame() -> None:
    """Half a character, escaped or raw, costs that character and not the answer it stands in."""
    assert parse(b'{"id":7,"t":"cut \\ud83d here"}') == {"id": 7, "t": "cut ? here"}
    assert parse(b'{"id":7,"t":"cut \xf0\x9f here"}') == {"id": 7, "t": "cut � here"}
    assert parse(b'{"id":NaN}') is None


def test_the_sample_is_bounded_and_shows_both_ends() -> None:
    """Of a flood of noise the first and the last lines are kept, each cut, without escapes."""
    frames = Frames()
    frames.read(b"\x1b[31mbanner\x1b[0m")
    for n in range(1_000):
        frames.read(b"noise %d " % n + b"x" * 5_000)
    sample = frames.sample()
    assert sample.startswith("banner\nnoise 0 xx")
    assert "(993 more lines)" in sample
    assert "noise 999 xx" in sample
    assert len(sample.encode()) <= 2 * SAMPLE_LINES * (SAMPLE_BYTES + 1) + 40


def test_little_noise_is_shown_whole() -> None:
    """Nothing is said to be missing where nothing is."""
    frames = Frames()
    for n in range(2 * SAMPLE_LINES):
        frames.read(b"line %d" % n)
    assert frames.sample() == "\n".join(f"line {n}" for n in range(2 * SAMPLE_LINES))
