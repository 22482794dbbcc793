from subsessiond.engine.tokens import Tokens, token_hash
from subsessiond.model.events import NodeReleased, NodeStarted
from subsessiond.model.tree import Tree
from tests.support.playbook import id_of

ONE, TWO = id_of(1), id_of(2)


def test_a_token_names_its_node_until_it_is_taken_back() -> None:
    """A given token leads to its node; after it is taken back it leads nowhere."""
    tokens = Tokens()
    tokens.give(ONE, "a")
    tokens.give(TWO, "b")
    assert (tokens.node_of("a"), tokens.node_of("b"), tokens.node_of("c")) == (ONE, TWO, None)
    tokens.take_back(ONE)
    tokens.take_back(ONE)
    assert (tokens.node_of("a"), tokens.node_of("b")) == (None, TWO)


def test_a_node_has_one_token() -> None:
    """A fresh token ends the one before, also one known by its hash alone."""
    tokens = Tokens()
    tokens.remember(ONE, token_hash("old"))
    assert tokens.node_of("old") == ONE
    tokens.give(ONE, "new")
    assert (tokens.node_of("old"), tokens.node_of("new")) == (None, ONE)


def test_nothing_is_remembered_without_a_hash() -> None:
    """A root that never had a token gets none."""
    tokens = Tokens()
    tokens.remember(ONE, "")
    assert tokens.node_of("") is None


def test_a_released_node_has_no_token() -> None:
    """Release ends a token; no other event does."""
    tokens = Tokens()
    tokens.give(ONE, "a")
    started = NodeStarted(seq=1, node=ONE, at_ms=1, awake_ms=1)
    tokens.on_events((started,), Tree())
    assert tokens.node_of("a") == ONE
    tokens.on_events((NodeReleased(seq=2, node=ONE, at_ms=1, awake_ms=1),), Tree())
    assert tokens.node_of("a") is None


def test_hashes_do_not_show_the_token() -> None:
    """What is remembered of a token is 64 hexadecimal digits without it."""
    hashed = token_hash("secret")
    assert len(hashed) == 64
    assert "secret" not in hashed
