"""Parameters of the context ledger."""

from typing import Annotated

from pydantic import Field

from subsessiond.wire.params import Params
from subsessiond.wire.text import Maybe, NodeIdText


class StatsParams(Params):
    """A page of the context ledger."""

    node_id: Maybe[NodeIdText] = None
    """Only this node and all below it; default: everything in memory."""
    after: Maybe[NodeIdText] = None
    """Cursor: the `next` of the page before."""
    limit: Maybe[Annotated[int, Field(ge=1, le=2_000)]] = None
    """Rows a page."""
