"""What a parent is shown, told apart by child."""

import msgspec
import pytest

from subsessiond.model.ledger import Part, Why
from subsessiond.model.message import Source
from subsessiond.model.tree import Tree
from subsessiond.rpc import shown
from subsessiond.rpc.shown import named, parts_of_answer, parts_of_refusal
from subsessiond.wire.methods import METHODS
from tests.support.trees import a_node, a_tree, node_id

ROOT, CHILD, OTHER, BELOW = (node_id(n) for n in (1, 2, 3, 4))


def tree() -> Tree:
    """Make a tree: a root, two children of it and a grandchild."""
    return a_tree([a_node(1, None), a_node(2), a_node(3), a_node(4, 2)])


def raw(value: object) -> msgspec.Raw:
    """Write an answer."""
    return msgspec.Raw(msgspec.json.encode(value))


def letter(sender: str | None, text: str, source: str = Source.REPORT, **more: object) -> object:
    """Make one message of a mailbox, as it is answered."""
    own = {"messageId": f"{CHILD}.1", "seq": 4, "source": source, "again": False, "text": text}
    return {**own, **({"senderSessionId": sender} if sender else {}), **more}


def answer(method: str, value: object, name: str | None = None) -> tuple[Part, ...]:
    """Take an answer to the root apart."""
    return parts_of_answer(tree(), ROOT, method, raw(value), name)


def test_each_method_of_the_table_is_one() -> None:
    """What is counted is there."""
    assert {method.name for method in METHODS} >= shown.SHOWING


def test_a_spawn_is_of_the_child_it_made() -> None:
    """The whole answer; one that only checked is of no child."""
    made = {"nodeId": CHILD, "state": "claimed", "claimedAt": 4, "warnings": []}
    assert answer("subsession.spawn", made) == (
        Part(node=CHILD, why=Why.ANSWER, size=len(raw(made))),
    )
    (checked,) = answer("subsession.spawn", {"state": "checked"})
    assert checked.node is None


def test_mail_is_of_its_senders() -> None:
    """Each message by its bytes; repeats apart, what somebody above said is no child's."""
    box = [
        letter(CHILD, "süß"),
        letter(OTHER, "t", again=True),
        letter(ROOT, "go", Source.STEER),
        letter(None, "x", Source.STEER),
    ]
    found = answer("subsession.inbox", {"messages": box, "more": 0, "estimatedTokens": 1})
    assert [(part.node, part.why) for part in found] == [
        (CHILD, Why.MAIL),
        (OTHER, Why.AGAIN),
        (None, Why.MAIL),
        (None, Why.MAIL),
    ]
    assert [part.size for part in found] == [len(raw(one)) for one in box]
    sizes = [part.size for part in shown.letters_of(raw({"messages": box}))]
    assert sizes == [5, len("(again) t"), 2, 1]


def test_a_page_of_the_tree_is_of_its_rows() -> None:
    """Each row by its bytes."""
    rows = [{"nodeId": CHILD, "title": "süß"}, {"nodeId": OTHER, "seq": 3}]
    found = answer("subsession.tree", {"rows": rows, "seq": 9, "resync": False})
    assert found == tuple(
        Part(node=node, why=Why.ANSWER, size=len(raw(row)))
        for node, row in zip((CHILD, OTHER), rows, strict=True)
    )
    assert answer("subsession.tree", {"rows": [], "seq": 9, "resync": False}) == ()


@pytest.mark.parametrize("method", sorted(shown.NAMING))
def test_an_answer_about_one_is_of_that_one(method: str) -> None:
    """Where it is the caller's own child; of another nobody is told anything."""
    (own,) = answer(method, {"x": 1}, CHILD)
    assert own == Part(node=CHILD, why=Why.ANSWER, size=7)
    for name in (BELOW, node_id(77), ROOT, None):
        (foreign,) = answer(method, {"x": 1}, name)
        assert foreign == Part(node=None, why=Why.ANSWER, size=7)


def test_a_refusal_is_of_the_child_that_was_named() -> None:
    """One that named none, as a spawn, is of no child."""
    (succeed,) = parts_of_refusal(tree(), ROOT, "subsession.succeed", 40, CHILD)
    assert succeed == Part(node=CHILD, why=Why.ANSWER, size=40)
    for method, name in (("subsession.spawn", None), ("subsession.inbox", CHILD)):
        (general,) = parts_of_refusal(tree(), ROOT, method, 40, name)
        assert general.node is None


def test_a_call_names_a_node_in_one_of_three_ways() -> None:
    """Itself, as a child, or by a message that is named after it."""
    assert named({"nodeId": CHILD}) == named({"childId": CHILD}) == CHILD
    assert named({"messageId": f"{CHILD}.12"}) == CHILD
    assert named({"nodeId": 4}) is None
    assert named({}) is None
