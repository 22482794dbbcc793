"""When colours are used."""

import io

import pytest

from subsession.cli.voice import Voice


class Terminal(io.StringIO):
    """Something that says it is a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


@pytest.mark.parametrize(
    ("out", "environ", "colours"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    out: io.StringIO, environ: dict[str, str], colours: bool
) -> None:
    """Nothing is coloured when piped, with NO_COLOR, or on a terminal that cannot."""
    voice = Voice(out, io.StringIO(), as_json=False, environ=environ)
    assert voice.style("red", "x") == ("\x1b[31mx\x1b[0m" if colours else "x")
