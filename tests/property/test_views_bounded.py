"""Law: every answer to a node is bounded, whatever its children wrote and however many they are."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.core.bounds import bytes_of_tokens, estimated_tokens
from subsessiond.core.views.answers import bounded_rejection
from subsessiond.core.views.blocked import blocked_row
from subsessiond.core.views.mail import inbox_page
from subsessiond.core.views.measure import json_bytes
from subsessiond.core.views.node import child_view
from subsessiond.core.views.row import CHILD_ROW_BYTES, child_row, row_of
from subsessiond.core.views.tree import CHILD_ROWS_MOST, own_children, page_of
from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.ids import message_id
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Node, Status
from subsessiond.model.policy import Limits
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.role import Role
from tests.support.trees import a_node, a_settlement, a_tree, node_id

LIMITS = Limits()
SECRET = "§diagnostic§"

marks = st.sampled_from(["a", "é", "€", "🙂", '"', "\\", "\x00", "\x1f", "\n", " ", "</script>"])
sizes = st.sampled_from([0, 1, 7, 120, 400, 4_000, 30_000, 200_000])
huge = st.builds(lambda mark, size: mark * size, marks, sizes)
texts = huge | st.text(max_size=50)
lists = st.lists(texts, max_size=4).map(tuple) | st.integers(0, 3_000).map(lambda n: ("x",) * n)
numbers = st.none() | st.integers(-1, 2**53 - 1)
free = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def settlements(draw: st.DrawFn) -> Any:
    """A settled record of hostile words."""
    return a_settlement(
        draw(st.sampled_from(Outcome)),
        reason=draw(texts),
        output=draw(texts),
        structured=draw(free),
        sections=draw(st.none() | st.dictionaries(st.text(max_size=9), texts, max_size=3)),
        blockers=draw(lists),
        open_questions=draw(lists),
        files=draw(lists),
        diagnostic=SECRET,
        verification=draw(texts),
    )


heard = st.none() | st.builds(
    Report,
    stage=st.just(Stage.FINDING),
    output=texts,
    sections=st.none() | st.dictionaries(texts, texts, max_size=3),
    blockers=lists,
    open_questions=lists,
    files=lists,
)
"""What a live child said last."""


@st.composite
def children(draw: st.DrawFn) -> Node:
    """A child of the first root, with anything in it that anybody can have put there."""
    return a_node(
        draw(st.integers(2, 999)),
        status=draw(st.sampled_from(Status)),
        title=draw(texts),
        seq=draw(st.integers(0, 2**53 - 1)),
        token_cap=draw(st.integers(0, 2**53 - 1)),
        role=draw(st.none() | texts.map(lambda name: Role(name=name, tier="t"))),
        brief=Brief(mission=draw(texts), title=None),
        owns=draw(lists),
        settlement=draw(st.none() | settlements()),
        leftovers=draw(lists),
        newest=draw(heard),
        checkpoint=draw(
            st.none()
            | st.builds(
                CheckpointMark,
                line=st.integers(1),
                phase=texts,
                next_step=texts,
                at_ms=st.integers(0, 2**50),
            )
        ),
        last_sign=draw(texts),
        last_sign_ms=draw(numbers),
        started_at_ms=draw(numbers),
        settled_at_ms=draw(numbers),
        released_at_ms=draw(numbers),
        successor=draw(st.none() | st.just(node_id(5))),
        reports=draw(st.integers(0, 2**53 - 1)),
        stopping=draw(st.booleans()),
    )


@given(children())
def test_a_row_to_a_parent_is_at_most_400_bytes(node: Node) -> None:
    """No child can make its row larger, nor put a diagnostic into it."""
    raw = msgspec.json.encode(child_row(node))
    assert len(raw) <= CHILD_ROW_BYTES
    assert SECRET.encode() not in raw


@given(st.lists(children(), max_size=30, unique_by=lambda node: node.node_id))
def test_a_page_to_a_parent_is_at_most_4000_tokens(nodes: list[Node]) -> None:
    """A page of a parent's tree is bounded by the number of rows and the size of each."""
    tree = a_tree([a_node(1, None), *nodes])
    page, _ = page_of(own_children(tree, node_id(1)), None, CHILD_ROWS_MOST)
    raw = msgspec.json.encode([child_row(tree.nodes[name]) for name in page])
    assert estimated_tokens(len(raw) + 200) <= LIMITS.answer_tokens


@given(children())
def test_a_view_of_a_child_is_at_most_10000_tokens(node: Node) -> None:
    """A parent that looks at a child is shown a bounded view, and never a diagnostic."""
    raw = msgspec.json.encode(child_view(node, LIMITS.node_view_tokens))
    assert estimated_tokens(len(raw)) <= LIMITS.node_view_tokens
    assert SECRET.encode() not in raw


@given(children())
def test_a_final_within_its_contract_is_shown_whole(node: Node) -> None:
    """A final that its contract let pass is read again whole, unless JSON swells it."""
    said = node.settlement
    if said is not None and json_bytes(said.output) <= bytes_of_tokens(8_000) + 2:
        assert child_view(node, LIMITS.node_view_tokens).output == said.output


@given(
    st.lists(st.tuples(texts, st.sampled_from(MessageState)), max_size=30), st.integers(1, 8_000)
)
def test_an_inbox_answer_is_bounded_and_loses_nothing(
    box: list[tuple[str, MessageState]], limit: int
) -> None:
    """Only a first message may pass the bound; what is shown and what is left make up all mail."""
    mail = tuple(
        Message(
            message_id=message_id(node_id(2), n),
            recipient=node_id(1),
            sender=node_id(2),
            source=Source.REPORT,
            text=text,
            state=state,
        )
        for n, (text, state) in enumerate(box, 1)
    )
    answer = inbox_page(mail, limit)
    waiting = [m for m in mail if m.state in (MessageState.STAGED, MessageState.DELIVERED)]
    assert [item.message_id for item in answer.messages] == [
        m.message_id for m in waiting[: len(answer.messages)]
    ]
    assert answer.more == len(waiting) - len(answer.messages)
    assert not waiting or answer.messages
    if len(answer.messages) > 1:
        assert json_bytes(answer) <= bytes_of_tokens(limit)


@given(texts, st.lists(st.tuples(texts, texts), max_size=80), lists)
def test_a_refusal_to_a_node_is_at_most_4000_tokens(
    detail: str, fields: list[tuple[str, str]], paths: tuple[str, ...]
) -> None:
    """However much is wrong with a call, its refusal is bounded."""
    rejection = Rejection(
        code=Code.BRIEF_INVALID,
        step="brief",
        detail=detail,
        fields=tuple(FieldFault(path=path, problem=problem) for path, problem in fields),
        paths=paths,
    )
    bounded = bounded_rejection(rejection, LIMITS)
    shown = msgspec.json.encode([bounded.message, bounded.fields, bounded.paths])
    assert estimated_tokens(len(shown)) <= LIMITS.answer_tokens


@given(children())
def test_every_row_of_the_operator_can_be_written(node: Node) -> None:
    """Nothing a child writes keeps the operator from seeing its row, nor its queue from opening."""
    row = msgspec.json.decode(msgspec.json.encode(row_of(node)))
    assert row["measuredTokens"] is None
    assert row.get("startedAt", 1) > 0
    assert json_bytes(blocked_row(node).letter.splitlines()) > 0
