"""`core.views.notice`."""

from subsessiond.core.scrub import MARK, Scrubber
from subsessiond.core.views.notice import notice_of
from subsessiond.model.node import Node, Status
from subsessiond.model.report import Outcome
from tests.support.trees import a_node, a_settlement

SCRUB = Scrubber().scrub


def blocked(number: int, *blockers: str, title: str = "") -> Node:
    """Make a node that waits for a person."""
    said = a_settlement(Outcome.BLOCKED, blockers=blockers)
    return a_node(number, status=Status.RELEASED, settlement=said, title=title or f"node {number}")


def test_one_that_waits_is_named_with_what_it_asks() -> None:
    """Who waits, and its first blocker."""
    said = notice_of((blocked(2, "approval-required: fs write docs/x.md", "b"),), (), SCRUB)
    assert said.title == "subsession: waits for you"
    assert said.text == "node 2: approval-required: fs write docs/x.md"


def test_a_burst_is_one_notice() -> None:
    """Three are named, the rest are counted, and roots that are done come last."""
    waiting = tuple(blocked(number, "question: which?") for number in range(2, 7))
    said = notice_of(waiting, (a_node(1, None, title="review"),), SCRUB)
    assert said.title == "subsession: 5 wait for you"
    assert said.text == (
        "node 2: question: which?; node 3: question: which?; node 4: question: which?; and 3 more"
    )


def test_a_root_whose_children_have_ended_is_named() -> None:
    """The end of the last child is told by the root's title, or its id where it has none."""
    said = notice_of((), (a_node(1, None, title="review"), a_node(7, None, title="")), SCRUB)
    assert said.title == "subsession: ended"
    assert said.text == f"all children of review have ended; all children of {7:026d} have ended"


def test_leftovers_say_so() -> None:
    """A node that asks nothing is told by its category."""
    node = a_node(2, status=Status.SETTLED, settlement=a_settlement(), leftovers=("process 7",))
    assert notice_of((node,), (), SCRUB).text == "node 2: leftovers"


def test_what_agents_wrote_is_plain_scrubbed_and_bounded() -> None:
    """No markup, no control or direction character, no key, and never more than a line."""
    evil = "approval: <b>now</b> & \x1b[31mred\x07\n\u202eabc GITHUB_TOKEN=ghp_" + "a" * 36
    text = notice_of((blocked(2, evil, title="<i>\nt</i>"),), (), SCRUB).text
    assert text == f"‹i› t‹/i›: approval: ‹b›now‹/b› + [31mred abc GITHUB_TOKEN={MARK}"
    many = tuple(blocked(number, "x" * 9_000, title="t" * 500) for number in range(2, 900))
    assert len(notice_of(many, (), SCRUB).text) < 400


def test_mail_that_nobody_read_says_so() -> None:
    """A parent that ended over its children's reports asks nothing, and the name of what it left
    would not tell.
    """
    node = a_node(2, status=Status.RELEASED, settlement=a_settlement(Outcome.FAILED))
    assert notice_of((node,), (), SCRUB).text == "node 2: left reports that nobody read"
