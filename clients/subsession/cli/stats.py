"""`stats`: what sessions hold against what their parents were shown of them."""

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.ledger import table
from subsession.cli.session import Session
from subsession.verbs import Json


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add(
        "stats",
        stats,
        "tell what sessions hold against what their parents were shown of them",
        "`session` is what a child's agent was told and what it printed; `shown` is all that its\n"
        "parent's agent was given because of it: mail, each message once, and answers.",
    )
    parser.add_argument("node", nargs="?", metavar="NODE", help="only it and all below it")


def stats(session: Session) -> int:
    """Tell what sessions hold, and what was shown of them."""
    node = session.words.node
    found = pages(session, session.node_id(node) if node else None)
    if found["roots"]:
        text = "\n".join(table(found["roots"], found["rows"], session.voice))
    else:
        text = "no sessions; `subsession spawn` starts one"
    session.voice.answer(found, text)
    return exits.OK


def pages(session: Session, node_id: str | None) -> Json:
    """Read all pages, and give them as one."""
    rows: list[Json] = []
    roots: dict[str, Json] = {}
    after = None
    while True:
        page = session.client.stats(node_id, after=after)
        rows += page["rows"]
        roots.update((root["rootId"], root) for root in page["roots"])
        after = page.get("next")
        if after is None:
            return {"rows": rows, "roots": list(roots.values())}


def figures_of(session: Session, node_id: str) -> Json | None:
    """Give the figures of one child, or the sums of a root; none where nobody may see them."""
    if session.in_node:
        return None
    page = session.client.stats(node_id, limit=1)
    mine = (one for one in (*page["rows"], *page["roots"]) if node_id in _names(one))
    return next(mine, None)


def _names(figures: Json) -> tuple[str, str]:
    root = "" if "nodeId" in figures else str(figures["rootId"])
    return str(figures.get("nodeId", "")), root
