import re

import pytest

from subsessiond.model.ids import NODE_ID_PATTERN, is_node_id, message_id
from tests.support.playbook import id_of


@pytest.mark.scenario("S37")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "../../x",
        "/tmp/x",
        ".",
        "..",
        "0" * 25,
        "0" * 27,
        "0" * 25 + "\n",
        "0" * 26 + "\n",
        "0" * 25 + "\0",
        "0" * 25 + "A",
        "0" * 25 + "i",
        "%2e%2e%2f" + "0" * 17,
        "x" * 300,
    ],
)
def test_what_is_no_node_id_is_told_apart(text: str) -> None:
    """S37: no path, no other letter case, no line break, no other length."""
    assert not is_node_id(text)


def test_an_id_has_one_spelling() -> None:
    """26 characters of the lower-case alphabet without i, l, o and u."""
    assert is_node_id(id_of(7))
    assert is_node_id("0123456789abcdefghjkmnpqrs")
    assert re.match(NODE_ID_PATTERN, id_of(7))


def test_a_message_is_named_after_its_sender() -> None:
    """The name tells who caused it and which of its messages it is."""
    assert message_id(id_of(7), 3) == f"{id_of(7)}.3"
