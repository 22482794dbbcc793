"""`blocked`, `handover`, `dismiss` and `release`: what only a person decides."""

from subsession.cli import exits
from subsession.cli.arguments import Verbs, amount, seconds
from subsession.cli.granting import add_option, granted
from subsession.cli.letters import blocked_text, indented
from subsession.cli.session import SHORT, Session, UsageProblem
from subsession.cli.spawn import tell_admitted
from subsession.cli.watch import now_ms
from subsession.text import one_line
from subsession.verbs import Json


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("blocked", blocked, "list what waits for you")
    parser = verbs.add(
        "handover",
        handover,
        "read the letter of a settled node, or go on with a successor",
        "Without an option the letter is printed and nothing changes. --grant-* gives the\n"
        "successor, and nobody else, more than its parent has.",
    )
    parser.add_argument("node", metavar="NODE")
    parser.add_argument("--as-is", action="store_true", help="go on with the same brief")
    parser.add_argument("--answer", metavar="TEXT", help="go on, and tell it this")
    parser.add_argument("--grant-glob", action="append", metavar="GLOB", help="files; repeat")
    parser.add_argument("--grant-tool", action="append", metavar="CLASS", help="repeat")
    parser.add_argument("--grant-tokens", type=amount, metavar="N")
    parser.add_argument("--wait", action="store_true", help="until it settles; exit by outcome")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="wait at most")
    add_option(parser)
    for name, run, about in (
        ("dismiss", dismiss, "take a node out of the blocked queue"),
        ("release", release, "free what a node owns whose processes cannot be proven gone"),
    ):
        parser = verbs.add(name, run, about)
        parser.add_argument("node", metavar="NODE")
    add_option(parser)  # of `release`, the last


def blocked(session: Session) -> int:
    """List what waits for the person."""
    found = session.client.blocked()
    rows = found.get("rows", [])
    if not rows:
        session.voice.answer(found, "nothing waits for you")
        return exits.OK
    lines = [blocked_text(row, session.voice, now_ms()) for row in rows]
    session.voice.answer(found, "\n".join([*lines, *_next_steps(rows)]))
    return exits.OK


def _next_steps(rows: list[Json]) -> list[str]:
    """Say what can be done, for one of each kind by its name."""
    shorts: dict[str, str] = {}
    for row in rows:
        kind = str(row.get("category"))
        kind = kind if kind in ("attach", "leftovers", "mail") else "blocked"
        shorts.setdefault(kind, one_line(str(row["nodeId"])[-SHORT:]))
    steps = (("blocked", _NEXT), ("leftovers", _RELEASE), ("mail", _READ))
    return [text.format(shorts[kind]) for kind, text in steps if kind in shorts]


_NEXT = """
next, for {0} as for the others:
  subsession handover {0}                  read its letter
  subsession handover {0} --as-is          go on unchanged
  subsession handover {0} --answer TEXT    answer its question
  subsession handover {0} --grant-glob G   give it files (also --grant-tool,
                                               --grant-tokens)
  subsession dismiss {0}                   leave it"""
_RELEASE = """
next, for {0} as for others of which something is still there:
  subsession release {0}                   free what it owns, though that goes on"""

_READ = """
next, for {0} as for others that left mail unread:
  subsession inbox {0}                     read it
  subsession handover {0} --as-is          go on: its successor is given it
  subsession dismiss {0}                   leave it"""


def handover(session: Session) -> int:
    """Read the letter, or go on with a successor."""
    words = session.words
    grants = {"globs": words.grant_glob, "tools": words.grant_tool, "tokens": words.grant_tokens}
    grants = {key: value for key, value in grants.items() if value is not None}
    if words.as_is and (grants or words.answer is not None):
        raise UsageProblem("--as-is changes nothing: leave it out with --answer or --grant-*")
    action = "grant" if grants else "answer" if words.answer is not None else "letter"
    action = "as-is" if words.as_is else action
    node_id = session.node_id(words.node)
    if action != "letter":
        return tell_admitted(session, _go_on(session, node_id, action, grants))
    found = session.client.handover(node_id, action)
    mission, letter = str(found.get("mission", "")), str(found.get("letter", ""))
    text = f"mission\n{indented(mission)}\nletter\n{indented(letter or '(empty)')}"
    session.voice.answer(found, text)
    return exits.OK


def _go_on(session: Session, node_id: str, action: str, grants: Json) -> Json:
    return granted(
        session,
        lambda passphrase: session.client.handover(
            node_id,
            action,
            grants=grants or None,
            answer=session.words.answer,
            passphrase=passphrase,
        ),
    )


def dismiss(session: Session) -> int:
    """Take a node out of the queue."""
    found = session.client.dismiss(session.node_id(session.words.node))
    session.voice.answer(found, f"dismissed {one_line(str(found.get('nodeId')))}")
    return exits.OK


def release(session: Session) -> int:
    """Free the claim of a node with leftovers."""
    node_id = session.node_id(session.words.node)
    found = granted(
        session, lambda passphrase: session.client.release(node_id, passphrase=passphrase)
    )
    session.voice.answer(found, f"released {one_line(str(found.get('nodeId')))}")
    return exits.OK
