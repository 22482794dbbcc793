"""What an id source promises."""

import itertools

from subsessiond.adapters.ids import RandomIds
from subsessiond.model.ids import is_node_id


def test_ids_are_spelled_as_agreed_and_grow() -> None:
    """Each id has the one spelling there is and comes after the one before, however fast."""
    source = RandomIds()
    made = [source.node_id() for _ in range(5_000)]
    assert all(is_node_id(one) for one in made)
    assert all(one < two for one, two in itertools.pairwise(made))
    assert len({one.lower() for one in made}) == len(made)


def test_two_sources_do_not_meet() -> None:
    """Ids of two daemons differ, though made in the same millisecond."""
    one, two = RandomIds(wall_ms=lambda: 7), RandomIds(wall_ms=lambda: 7)
    assert not {one.node_id() for _ in range(500)} & {two.node_id() for _ in range(500)}


def test_tokens_cannot_be_guessed() -> None:
    """A token has 256 bits, in letters that a header may hold, and is never given twice."""
    source = RandomIds()
    made = {source.token() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(
        len(token) == 43 and token.replace("-", "a").replace("_", "a").isalnum() for token in made
    )
