"""What children produced against what their parent was shown, line by line."""

from dataclasses import dataclass

from subsession.amounts import say_bytes
from subsession.cli.facts import NOT_REPORTED
from subsession.text import cell
from subsession.verbs import Json


@dataclass(frozen=True)
class Entry:
    """One child."""

    title: str
    produced_bytes: int | None
    """What it wrote, as the daemon measured it; None when it did not."""
    shown_bytes: int


def enter(view: Json, messages: list[Json]) -> Entry:
    """Make the entry of a child from its view and its parent's mail."""
    node_id = view["row"]["nodeId"]
    texts = [mail["text"] for mail in messages if mail.get("senderSessionId") == node_id]
    produced = (view.get("envelope") or {}).get("producedBytes")
    return Entry(
        title=str(view["row"]["title"]),
        produced_bytes=produced if isinstance(produced, int) else None,
        shown_bytes=sum(len(text.encode()) for text in texts),
    )


def table(entries: list[Entry]) -> list[str]:
    """Give the ledger as lines, with a line for all."""
    lines = [f"{'child':<12} {'produced':>12} {'parent was shown':>17} {'share':>8}"]
    lines += [_line(entry) for entry in entries]
    known = [entry.produced_bytes for entry in entries if entry.produced_bytes is not None]
    whole = sum(known) if len(known) == len(entries) else None
    lines.append(_line(Entry("all", whole, sum(entry.shown_bytes for entry in entries))))
    return lines


def _line(entry: Entry) -> str:
    produced, share = NOT_REPORTED, ""
    if entry.produced_bytes is not None:
        produced = say_bytes(entry.produced_bytes)
        if entry.produced_bytes:
            share = f"{100 * entry.shown_bytes / entry.produced_bytes:.1f} %"
    shown = say_bytes(entry.shown_bytes)
    return f"{cell(entry.title, 12)} {produced:>12} {shown:>17} {share:>8}".rstrip()
