from msgspec.structs import replace

from subsessiond.core.bounds import estimated_tokens
from subsessiond.core.words.territory import WAY_OUT, territory_told
from subsessiond.model.ids import NodeId
from subsessiond.model.process import AGENT
from tests.support.world import IDENTITY

NODE = NodeId("0" * 26)


def test_a_root_is_told_as_the_process_it_is_and_what_helps() -> None:
    """By number and name; its person can use another terminal, or a setting with its price."""
    told = territory_told(7, NODE, replace(IDENTITY, container=AGENT, pid=5, name="code"))
    assert told == (
        f"process 7 lies in the territory of {NODE}, which is process 5 (code) and all below it; "
        f"{WAY_OUT}"
    )
    assert 'territory = "bridge"' in WAY_OUT
    assert estimated_tokens(len(told)) <= 120


def test_a_name_that_is_not_known_is_left_out() -> None:
    """Older records have none."""
    told = territory_told(7, NODE, replace(IDENTITY, container=AGENT, pid=5))
    assert "which is process 5 and all below it" in told


def test_of_a_child_no_more_is_told() -> None:
    """There is nothing that anybody could do about it."""
    told = f"process 7 lies in the territory of {NODE}"
    assert territory_told(7, NODE, IDENTITY) == told
    assert territory_told(7, NODE, None) == told
