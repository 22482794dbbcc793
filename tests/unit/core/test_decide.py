from typing import get_args

from subsessiond.core.decide import DECISIONS
from subsessiond.model.commands import AnyCommand
from subsessiond.model.rejection import Code
from tests.support.moves import spawn
from tests.support.playbook import nothing, play
from tests.support.world import at_work


def test_every_command_has_its_decision() -> None:
    """No command of the vocabulary is without an answer."""
    assert set(DECISIONS) == set(get_args(AnyCommand))


def test_a_refusal_leaves_the_tree_as_it_was() -> None:
    """Not a copy of it: the very same value."""
    now = at_work(play(), "w")
    refused = now >> spawn("x", role="none") << Code.ROLE_UNKNOWN << nothing
    assert refused.tree is now.tree
