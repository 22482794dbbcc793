"""Measured tokens: what an agent's protocol reported, as running totals."""

from subsessiond.model.base import Value

FIGURE_MOST = 10**12
"""A greater figure of one session is no measurement; sums of a whole tree stay exact in JSON."""


class Usage(Value, frozen=True, kw_only=True):
    """Tokens used so far. A figure that the agent does not report is none, which is not zero."""

    input: int | None = None
    """Tokens read at full price: neither from a cache nor into one."""
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None


class Below(Value, frozen=True, kw_only=True):
    """What was measured of all nodes below one, and of how many of them."""

    measured: Usage | None = None
    """Sums of those that report; none while nobody does."""
    reporting: int = 0
    """Nodes below of which anything was measured."""
    started: int = 0
    """Nodes below whose agent was ever up."""
