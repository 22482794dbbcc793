import random

import pytest

from subsessiond.core.scope import Pattern
from subsessiond.core.scope.edges import Edges
from subsessiond.core.scope.names import NamePart, may_meet
from subsessiond.core.scope.symbols import Many

NAMES = tuple(f"{a}{n}{b}" for a in ("", "mod", "x_") for n in range(9) for b in (".py", "_t.py"))
GLOBS = tuple(f"{a}*{n}{b}" for a in ("", "mod", "x_") for n in range(9) for b in (".py", "?"))


def parts_of(texts: tuple[str, ...]) -> tuple[NamePart, ...]:
    """Compile segments."""
    found = (Pattern(text).alternatives[0][0] for text in texts)
    return tuple(part for part in found if not isinstance(part, Many))


@pytest.mark.parametrize("texts", [NAMES[:6], NAMES, GLOBS[:6], GLOBS])
def test_near_edges_are_those_whose_ends_agree(texts: tuple[str, ...]) -> None:
    """Whichever side is searched, exactly the segments that may meet are found, each once."""
    parts, edges = parts_of(texts), Edges[int]()
    for number, part in enumerate(parts):
        edges = edges.put(part, number)
    assert sorted(edges.values()) == list(range(len(parts)))
    for part in parts_of((*NAMES, *GLOBS, "*", "*.py", "mod*", "q*", "*q")):
        found = list(edges.near(part))
        assert sorted(number for _, number in found) == [
            number for number, known in enumerate(parts) if may_meet(known, part)
        ]
    for number, part in enumerate(parts):
        assert edges.find(part) == number
    assert edges.find("absent") is None


def test_the_shape_is_a_function_of_the_content() -> None:
    """Growing over the size of a leaf and shrinking again leaves no trace."""
    parts, draw = parts_of((*NAMES, *GLOBS)), random.Random(3)
    few = Edges[int]()
    for part in parts[:8]:
        few = few.put(part, 1)
    many = few
    for part in draw.sample(parts, len(parts)):
        many = many.put(part, 1)
    for part in draw.sample(parts[8:], len(parts) - 8):
        many = many.drop(part)
    assert many == few
