"""`show`, `inbox` and `journal`: what nodes are and said."""

from subsession.cli import exits
from subsession.cli.arguments import Verbs, seconds
from subsession.cli.ledger import in_short
from subsession.cli.letters import clock, indented, show_text
from subsession.cli.session import Session
from subsession.cli.spawn import root_of_folder
from subsession.cli.stats import figures_of
from subsession.cli.voice import dump
from subsession.cli.watch import now_ms
from subsession.text import cut, one_line
from subsession.verbs import Json

_SHOWN_COLUMNS = 199
"""How much of a record's body is shown to people, which makes three lines of 80
columns with what stands before it; --json gives all of it."""


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("show", show, "tell all about a node").add_argument("node", metavar="NODE")
    parser = verbs.add(
        "inbox",
        inbox,
        "read the mail of a parent that it has not acknowledged",
        "From your terminal you look, and nothing moves; from within a node it is the node's own.",
    )
    parser.add_argument("node", nargs="?", metavar="NODE", help="default: this folder's root")
    parser.add_argument("--ack", action="append", metavar="ID", help="a message that was read")
    parser.add_argument("--ack-all", action="store_true", help="all that were delivered")
    parser.add_argument("--wait", type=seconds, metavar="S", help="for mail, at most 50 s")
    parser = verbs.add("journal", journal, "read the journal of a node")
    parser.add_argument("node", metavar="NODE")
    parser.add_argument("--first", type=int, metavar="N", help="from record N, counted from 1")
    parser.add_argument("--limit", type=int, metavar="N", help="so many records at most")


def show(session: Session) -> int:
    """Tell all about a node."""
    node_id = session.node_id(session.words.node)
    view = session.client.node(node_id)
    figures = None if session.voice.as_json else figures_of(session, node_id)
    text = show_text(view, session.voice, now_ms(), in_short(figures) if figures else "")
    session.voice.answer(view, text)
    return exits.OK


def inbox(session: Session) -> int:
    """Read unacknowledged mail."""
    words = session.words
    node_id = session.node_id(words.node) if words.node else None
    if node_id is None and not session.in_node:
        node_id = root_of_folder(session)
    found = session.client.inbox(
        node_id=node_id,
        acknowledge=True if words.ack_all else words.ack,
        wait_ms=None if words.wait is None else min(50_000, int(words.wait * 1_000)),
    )
    session.voice.answer(found, _inbox_text(found))
    if not session.in_node and (words.ack or words.ack_all):
        session.voice.note("nothing was acknowledged: only the parent itself does that")
    return exits.OK


def _inbox_text(found: Json) -> str:
    """Give each message under its own line of facts."""
    messages = found.get("messages", ())
    lines = []
    for message in messages:
        marks = [
            message.get("source"),
            message.get("stage"),
            "again" if message.get("again") else "",
        ]
        words = " ".join(one_line(str(mark)) for mark in marks if mark)
        lines += [f"{one_line(str(message.get('messageId')))}  {words}", indented(message["text"])]
    if not messages:
        return "no mail"
    more = found.get("more")
    if more:
        lines.append("there is more" if more is True else f"there are {more} more")
    return "\n".join(lines)


def journal(session: Session) -> int:
    """Read a node's journal; with JSON one record a line."""
    words = session.words
    node_id, first = session.node_id(words.node), words.first
    left = words.limit
    while left is None or left > 0:
        page = session.client.journal(node_id, first=first, limit=left)
        records = page.get("records", ())
        for record in records:
            session.voice.answer(record, _record_text(record))
        first = page.get("next")
        if first is None or not records:
            break
        left = None if left is None else left - len(records)
    return exits.OK


def _record_text(record: Json) -> str:
    """Give one record of a journal on one line, cut."""
    damaged = " DAMAGED" if record.get("damaged") else ""
    kind = one_line(str(record.get("kind")))
    said = cut(dump(record.get("body")), _SHOWN_COLUMNS)
    return f"{record.get('n'):>5}  {clock(record.get('at'))}  {kind:<12}{damaged} {said}"
