from typing import get_args

from subsessiond.model.commands import AnyCommand
from subsessiond.model.effects import AnyEffect
from subsessiond.model.events import AnyEvent


def test_tags_tell_the_members_of_each_vocabulary_apart() -> None:
    """A stored one is read back as what it was."""
    for vocabulary in (AnyEvent, AnyCommand, AnyEffect):
        members = get_args(vocabulary)
        assert len({member.__struct_config__.tag for member in members}) == len(members)


def test_events_speak_in_the_past_and_of_a_node() -> None:
    """Each has the node it concerns, its stamps and its number."""
    for event in get_args(AnyEvent):
        assert {"node", "at_ms", "awake_ms", "seq"} <= set(event.__struct_fields__)
