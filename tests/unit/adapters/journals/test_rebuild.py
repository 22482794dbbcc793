"""Nodes as their journals remember them."""

from msgspec import to_builtins

from subsessiond.adapters.journals.rebuild import node_from
from subsessiond.model.node import Author
from subsessiond.model.report import Outcome
from subsessiond.model.usage import Usage
from subsessiond.ports import JournalRecord
from tests.support.trees import a_node, a_settlement


def record(n: int, kind: str, body: object) -> JournalRecord:
    """Make a line."""
    return JournalRecord(n=n, at_ms=n, kind=kind, body=to_builtins(body), damaged=False)


def test_what_was_measured_until_the_end_is_remembered() -> None:
    """The record of the end holds it; a journal of before that knew no figures has none."""
    born = record(1, "admitted", a_node(2))
    for measured in (Usage(input=5, output=2), None):
        said = a_settlement(Outcome.FAILED, author=Author.RUNTIME, measured=measured)
        found = node_from((born, record(2, "settled", said)))
        assert found is not None
        assert found.measured == measured
