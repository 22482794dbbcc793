"""What one row of the tree says, in a few safe words. Knows the fields of rows and nothing else."""

from dataclasses import dataclass

from subsession.amounts import say_span, say_tokens
from subsession.mirror import LIVE_STATES
from subsession.verbs import Json

NOT_REPORTED = "not reported"
TO_ATTACH = "to attach"
CONTINUED = "continued"
DISMISSED = "dismissed"
_STYLES = {
    "completed": "green",
    "blocked": "yellow",
    "failed": "red",
    "cancelled": "dim",
    "orphaned": "dim",
    "stopping": "yellow",
    TO_ATTACH: "yellow",
    CONTINUED: "dim",
    DISMISSED: "dim",
    "leftovers": "red",
}
_GLYPHS = {
    "completed": "✓",
    "blocked": "!",
    "failed": "✗",
    "cancelled": "–",
    "orphaned": "–",
    CONTINUED: "–",
    DISMISSED: "–",
}
_ASCII_GLYPHS = {"✓": "+", "✗": "x", "–": "-", "•": "*"}


@dataclass(frozen=True)
class State:
    """The state of a node as one word with its looks."""

    word: str
    glyph: str
    style: str


def state(row: Json) -> State:
    """Give the word that tells most about where a node stands."""
    word = _word(row)
    outcome = str(row.get("outcome", ""))
    glyph = _GLYPHS.get(word) or _GLYPHS.get(outcome, "•")
    return State(word, glyph, _STYLES.get(word, "" if outcome else "cyan"))


def _word(row: Json) -> str:
    if row.get("leftovers"):
        return "leftovers"
    if is_root(row) and not row.get("stopping"):
        return "open" if is_live(row) else "closed"
    if is_live(row):
        if row.get("stopping"):
            return "stopping"
        if row.get("awaitsAttach"):
            return TO_ATTACH
        return "starting" if row.get("state") == "claimed" else str(row.get("phase") or "running")
    return end(row)


def end(row: Json) -> str:
    """Say how a settled node ended; a blocked one waits for nobody once somebody saw to it."""
    if row.get("outcome") == "blocked":
        if row.get("successor"):
            return CONTINUED
        if row.get("dismissed"):
            return DISMISSED
    return str(row.get("outcome") or row.get("state"))


def reports(count: int) -> str:
    """Say how many reports there are."""
    return "1 report" if count == 1 else f"{count} reports"


def is_root(row: Json) -> bool:
    """Tell a root's row: it has no role. In a parent's own tree there are none."""
    return not row.get("role")


def is_live(row: Json) -> bool:
    """Tell whether a node still holds its slot."""
    return row.get("state") in LIVE_STATES


def ascii_glyph(glyph: str) -> str:
    """Give a sign for terminals that know only ASCII."""
    return _ASCII_GLYPHS.get(glyph, glyph)


def age(row: Json, now_ms: float) -> str:
    """Say when a live node last gave a sign, how long a root is open, a settled node took."""
    claimed, settled = row.get("claimedAt"), row.get("settledAt")
    if is_live(row) and is_root(row):
        return f"for {say_span(now_ms - claimed)}" if claimed else ""
    if is_live(row):
        sign = row.get("lastSignAt") or claimed
        return f"{say_span(now_ms - sign)} ago" if sign else ""
    return f"in {say_span(settled - claimed)}" if settled and claimed else ""


def tokens(row: Json) -> str:
    """Say what was measured of a node's tokens, or that nothing was."""
    measured = row.get("measuredTokens")
    return say_tokens(spent_tokens(measured)) if isinstance(measured, dict) else NOT_REPORTED


def subtree_tokens(subtree: Json) -> str:
    """Say what was measured of a node and all below it, and of how many where not of all."""
    said = say_tokens(spent_tokens(subtree))
    reporting, started = subtree["reporting"], subtree["started"]
    return said if reporting == started else f"{said}, {reporting} of {started} report"


def spent_tokens(measured: Json) -> int:
    """Add up input, cache writes and output of a measurement; cache reads are shown apart."""
    return sum(int(measured.get(name) or 0) for name in ("input", "cacheWrite", "output"))
