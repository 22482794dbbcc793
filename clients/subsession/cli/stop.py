"""`steer`, `cancel` and `close`: live nodes."""

import sys

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import SHORT, Session
from subsession.cli.spawn import root_of_folder
from subsession.frames import LONGEST_WAIT_MS
from subsession.text import one_line
from subsession.verbs import Json


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    parser = verbs.add("steer", steer, "say something to a live child")
    parser.add_argument("node", metavar="NODE")
    parser.add_argument("text", metavar="TEXT", help="- reads standard input")
    parser = verbs.add("cancel", cancel, "stop a node and everything below it, and wait for that")
    parser.add_argument("node", metavar="NODE")
    parser = verbs.add("close", close, "end a root and everything below it")
    parser.add_argument("root", nargs="?", metavar="ROOT", help="default: this folder's newest")


def steer(session: Session) -> int:
    """Say something to a live child."""
    text = sys.stdin.read() if session.words.text == "-" else session.words.text
    found = session.client.steer(session.node_id(session.words.node), text)
    session.voice.answer(found, one_line(str(found.get("text") or "sent")))
    return exits.OK


def cancel(session: Session) -> int:
    """Stop a subtree."""
    node_id = session.node_id(session.words.node)
    return _tell(session, session.client.cancel(node_id, wait_ms=LONGEST_WAIT_MS))


def close(session: Session) -> int:
    """End a root."""
    words = session.words
    root = session.node_id(words.root) if words.root else root_of_folder(session)
    return _tell(session, session.client.close_root(root))


def _tell(session: Session, found: Json) -> int:
    """Say what was stopped, and what is left of it."""
    lines = []
    for node in found.get("nodes", ()):
        forced = ", killed because it did not leave when asked" if node.get("forced") else ""
        lines.append(
            f"{one_line(str(node.get('nodeId')))[-SHORT:]}: "
            f"{one_line(str(node.get('state')))}{forced}"
        )
        lines += [f"  still there: {one_line(str(item))}" for item in node.get("leftovers") or ()]
    if found.get("already"):
        lines.append("nothing was left to stop there")
    session.voice.answer(found, "\n".join(lines))
    return exits.OK
