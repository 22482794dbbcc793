"""`core.views.mail`."""

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.views.mail import has_news, inbox_page
from subsessiond.core.views.measure import json_bytes
from subsessiond.model.ids import message_id
from subsessiond.model.message import Message, MessageState, Source
from tests.support.trees import node_id


def letters(*texts: str, state: MessageState = MessageState.STAGED) -> tuple[Message, ...]:
    """Make a mailbox."""
    return tuple(
        Message(
            message_id=message_id(node_id(2), n),
            recipient=node_id(1),
            sender=node_id(2),
            source=Source.REPORT,
            text=text,
            state=state,
            seq=n,
        )
        for n, text in enumerate(texts, 1)
    )


def test_mail_comes_oldest_first_with_its_text_exactly() -> None:
    """Messages keep their order and not one byte of their text is changed."""
    box = letters("Background subagent x reported:\n one ", "two\n")
    answer = inbox_page(box, 8_000)
    assert [item.text for item in answer.messages] == [m.text for m in box]
    assert answer.more == 0


def test_what_was_delivered_comes_again_and_says_so() -> None:
    """Delivered and not acknowledged is shown again, marked; the text stays as it was."""
    box = letters("one", state=MessageState.DELIVERED)
    answer = inbox_page(box, 8_000)
    assert answer.messages[0].again
    assert answer.messages[0].text == "one"
    assert not has_news(box)


def test_one_message_always_fits() -> None:
    """The oldest message is shown whole, however small the bound; the rest is a count."""
    answer = inbox_page(letters("x" * 24_000, "y"), 1)
    assert [item.text for item in answer.messages] == ["x" * 24_000]
    assert answer.more == 1


def test_an_answer_stays_within_its_bound() -> None:
    """Messages are added only while the whole answer fits; how many wait is said."""
    answer = inbox_page(letters(*("z" * 900 for _ in range(100))), 1_000)
    assert len(answer.messages) > 1
    assert answer.more == 100 - len(answer.messages)
    assert json_bytes(answer) <= bytes_of_tokens(1_000)
    assert answer.estimated_tokens <= 1_000


def test_what_no_longer_counts_is_not_shown() -> None:
    """A superseded message does not come."""
    assert inbox_page(letters("old", state=MessageState.SUPERSEDED), 8_000).messages == ()
