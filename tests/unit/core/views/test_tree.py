"""`core.views.tree`."""

from subsessiond.core.views.tree import changes_page, ids_below, own_children, page_of
from tests.support.trees import a_node, a_tree, node_id


def ids(*numbers: int) -> tuple[str, ...]:
    """Spell numbers as ids."""
    return tuple(node_id(number) for number in numbers)


def test_pages_follow_each_other_without_gap_or_repetition() -> None:
    """Going from cursor to cursor shows every id once, in order, and then there is no cursor."""
    known = [node_id(n) for n in range(1, 8)]
    shown: list[str] = []
    cursor = None
    for _ in range(10):
        page, cursor = page_of(known, cursor, 3)
        shown.extend(page)
        if cursor is None:
            break
    assert shown == known
    assert cursor is None


def test_a_cursor_that_is_gone_is_still_a_place() -> None:
    """The id of a cursor need not exist any more: the page begins behind where it stood."""
    known = [node_id(1), node_id(5)]
    assert page_of(known, node_id(3), 10) == ((node_id(5),), None)


def test_all_changes_fit_into_one_page() -> None:
    """Changes within the limit are all shown, and nothing is left to come back for."""
    assert changes_page([(4, node_id(1)), (5, node_id(2))], 2) == (ids(1, 2), None)


def test_a_page_of_changes_says_how_far_it_goes() -> None:
    """Beyond the limit the oldest changes come first, with the number up to which they go."""
    changes = [(4, node_id(1)), (5, node_id(2)), (6, node_id(3))]
    assert changes_page(changes, 2) == (ids(1, 2), 5)


def test_what_one_event_changed_is_never_parted() -> None:
    """A page ends before or behind all nodes of one number, so that the number is a cursor."""
    changes = [(4, node_id(1)), (5, node_id(2)), (5, node_id(3)), (6, node_id(4))]
    assert changes_page(changes, 2) == (ids(1), 4)
    assert changes_page(changes[1:], 1) == (ids(2, 3), 5)


def test_changes_of_one_event_alone_are_a_page() -> None:
    """When one event changed more nodes than the limit, they are shown all the same."""
    changes = [(5, node_id(n)) for n in range(1, 4)]
    assert changes_page(changes, 2) == (ids(1, 2, 3), 5)


def test_below_is_everything_below() -> None:
    """A tree is its root and whatever hangs below it, in the order of ids."""
    nodes = [a_node(1, None), a_node(4), a_node(2), a_node(3, 4), a_node(9, None)]
    tree = a_tree(nodes)
    assert ids_below(tree, node_id(1)) == ids(1, 2, 3, 4)
    assert own_children(tree, node_id(1)) == ids(2, 4)
    assert own_children(tree, node_id(3)) == ()
