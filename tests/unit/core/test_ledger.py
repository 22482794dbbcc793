"""The arithmetic of the context ledger."""

import pytest
from immutables import Map
from msgspec.structs import replace

from subsessiond.core import ledger
from subsessiond.model.events import MessagesMoved
from subsessiond.model.ids import MessageId
from subsessiond.model.ledger import Account, Life, Part, Stream, Why
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from tests.support.ledger import AT_MS, child, node_id, root
from tests.support.world import IDENTITY

MOTHER = root(1)
CHILD = child(2, MOTHER, runner="acp")
LETTER = MessageId(f"{CHILD.node_id}.1")


def part(number: int, size: int, why: Why = Why.MAIL) -> Part:
    """Make a part of what was shown."""
    return Part(node=node_id(number), why=why, size=size)


def test_what_is_of_no_child_is_the_parents_own() -> None:
    """An answer without a part is one part, of nobody."""
    assert ledger.split(12, ()) == (Part(node=None, why=Why.ANSWER, size=12),)


def test_what_frames_several_is_shared_evenly() -> None:
    """Eleven bytes around three parts are 4, 4 and 3: odd ones go to the first."""
    parts = (part(2, 10), part(3, 0, Why.AGAIN), part(2, 7, Why.ANSWER))
    found = ledger.split(28, parts)
    assert [one.size for one in found] == [14, 4, 10]
    assert [(one.node, one.why) for one in found] == [(one.node, one.why) for one in parts]


def test_mail_is_counted_as_it_is_shown() -> None:
    """The mark of a repeat is a part of it, and what somebody above said is no child's."""
    fresh = ledger.mail_part(CHILD.node_id, Source.REPORT, "süß", again=False)
    assert fresh == part(2, 5)
    repeat = ledger.mail_part(CHILD.node_id, Source.REPORT, "süß", again=True)
    assert repeat == part(2, 5 + len("(again) "), Why.AGAIN)
    steer = ledger.mail_part(MOTHER.node_id, Source.STEER, "go", again=False)
    assert steer == Part(node=None, why=Why.MAIL, size=2)


def test_streams_and_showings_are_running_totals() -> None:
    """Each direction and each reason has a figure of its own."""
    account = Account(node_id=CHILD.node_id)
    for stream, size in ((Stream.SAID, 1), (Stream.PRINTED, 20), (Stream.ERRORS, 300)):
        account = ledger.streamed(account, stream, size)
    for why, size in ((Why.MAIL, 4), (Why.AGAIN, 50), (Why.ANSWER, 600), (Why.MAIL, 1)):
        account = ledger.shown(account, why, size)
    assert (account.said, account.printed, account.errors) == (1, 20, 300)
    assert (account.mail, account.again, account.answers) == (5, 50, 600)
    assert ledger.shown_bytes(account) == 605, "repeats are counted apart"


@pytest.mark.parametrize(
    ("runner", "holds"),
    [("acp", 21), ("model", 21), ("command", 320), ("scripted", None), ("external", None)],
)
def test_a_session_is_what_the_runner_makes_of_it(runner: str, holds: int | None) -> None:
    """An agent's is what it was told and printed, a program's what it printed on both outputs."""
    account = Account(node_id=CHILD.node_id, said=1, printed=20, errors=300)
    assert ledger.transcript_bytes(replace(CHILD, runner=runner), account) == holds


def test_what_was_not_counted_from_the_beginning_is_not_known() -> None:
    """Neither nothing nor a part of it is a figure."""
    late = Account(node_id=CHILD.node_id, since_ms=5, printed=20, mail=3)
    for account in (None, late):
        assert ledger.transcript_bytes(CHILD, account) is None
        assert ledger.shown_bytes(account) is None
    assert ledger.transcript_bytes(MOTHER, Account(node_id=MOTHER.node_id)) is None


def test_a_sum_with_a_figure_that_is_not_known_is_not_known() -> None:
    """Nothing at all is nothing."""
    assert ledger.total(()) == 0
    assert ledger.total((1, 2)) == 3
    assert ledger.total((1, None)) is None


def test_a_share_of_nothing_says_nothing() -> None:
    """Shares are of figures that are known, and of something."""
    assert ledger.ratio(1, 200) == 0.005
    assert ledger.ratio(0, 200) == 0.0
    assert [ledger.ratio(1, 0), ledger.ratio(None, 2), ledger.ratio(1, None)] == [None] * 3


@pytest.mark.parametrize(
    ("claimed", "closed", "lacks"),
    [(10, None, True), (30, None, True), (31, None, False), (10, 19, False), (10, 20, True)],
)
def test_a_killed_life_is_remembered_by_those_it_may_have_counted(
    claimed: int, closed: int | None, *, lacks: bool
) -> None:
    """Made before the next life began, of a root that was not closed before the killed one."""
    node, top = replace(CHILD, claimed_at_ms=claimed), replace(MOTHER, settled_at_ms=closed)
    assert ledger.may_lack(node, top, (Life(began_ms=20, found_ms=30),)) is lacks
    assert not ledger.may_lack(node, top, ())


def box(**changes: object) -> Tree:
    """Make a tree with a message in a root's mailbox."""
    message = Message(
        message_id=LETTER,
        recipient=MOTHER.node_id,
        sender=CHILD.node_id,
        source=Source.REPORT,
        text="done",
    )
    mail = Map({MOTHER.node_id: (replace(message, **changes),)})
    return Tree(nodes=Map({MOTHER.node_id: MOTHER}), mail=mail)


def moved(state: MessageState = MessageState.ACKNOWLEDGED, node: Node = MOTHER) -> MessagesMoved:
    """Move that message."""
    return MessagesMoved(node=node.node_id, message_ids=(LETTER,), state=state, at_ms=AT_MS)


def test_a_script_has_read_what_it_acknowledges() -> None:
    """A root without an agent was shown what was taken out of its mailbox, and was never handed."""
    assert ledger.read_by_script(box(), moved()) == (part(2, 4),)
    assert ledger.read_by_script(box(), moved(MessageState.SUPERSEDED)) == ()
    assert ledger.read_by_script(box(state=MessageState.DELIVERED), moved()) == ()
    assert ledger.read_by_script(box(again=True), moved()) == ()
    assert ledger.read_by_script(box(message_id=MessageId("x.1")), moved()) == ()


def test_a_child_that_plays_a_script_reads_as_one() -> None:
    """What was said to it is nothing of a child's, and not counted."""
    tree = box()
    played = replace(CHILD, node_id=MOTHER.node_id, runner="scripted")
    scripted = Map({MOTHER.node_id: played})
    assert ledger.read_by_script(replace(tree, nodes=scripted), moved()) == (part(2, 4),)
    steered = replace(box(source=Source.STEER), nodes=scripted)
    assert ledger.read_by_script(steered, moved()) == ()


def test_who_reads_as_a_node_is_counted_where_it_is_shown() -> None:
    """A root with an agent, a child, and one that is not there are not looked at."""
    tree = box()
    agent = replace(MOTHER, identity=IDENTITY)
    assert ledger.read_by_script(replace(tree, nodes=Map({MOTHER.node_id: agent})), moved()) == ()
    assert ledger.read_by_script(tree, moved(node=CHILD)) == ()
