"""`up`, `down`, `status` and `reload`: the daemon itself."""

from contextlib import suppress

from subsession.amounts import say_span
from subsession.cli import exits
from subsession.cli.arguments import Verbs, seconds
from subsession.cli.session import Session
from subsession.client import Client
from subsession.connect import listening, why_not
from subsession.errors import Unanswered
from subsession.start import wait_gone
from subsession.text import one_line
from subsession.verbs import Json

_COUNTS = ("roots", "nodes", "live", "blocked", "unread")
"""What of `daemon.stats` a person asks for; --json gives all of it."""


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("up", up, "start the daemon, if none runs")
    parser = verbs.add("down", down, "end the daemon and all children, and wait until it has gone")
    parser.add_argument("--timeout", type=seconds, default=60.0, metavar="S", help="at most (60)")
    verbs.add("status", status, "tell whether a daemon runs, without starting one")
    verbs.add(
        "reload",
        reload,
        "let the daemon read limits, roles.toml and agents.toml anew",
        "Of subsessiond.toml only the limits; its other tables are read at the start. What is\n"
        "wrong is refused whole, and the daemon keeps what it had. Live children keep what they\n"
        "were started with.",
    )


def up(session: Session) -> int:
    """Start the daemon, if none runs."""
    client = session.make_client(start=True)
    was_up = listening(client.place) is not None
    with client:
        info = client.connect()
        done = "it already runs" if was_up else "started"
        session.voice.answer(info, f"{done}: {describe(info)}, on {one_line(str(client.socket))}")
    return exits.OK


def describe(info: Json) -> str:
    """Name a daemon in a few words."""
    words = f"{info.get('name')} {info.get('version')}, process {info.get('pid')}"
    return one_line(words)


def down(session: Session) -> int:
    """Ask the daemon to end and wait until it has gone; none running is fine."""
    client = session.make_client(start=False)
    path = listening(client.place)
    if path is None:
        session.voice.answer({"running": False, "stopped": False}, "no daemon runs")
        return exits.OK
    with client:
        info = client.connect(any_protocol=True)
        pid = int(info.get("pid") or 0)
        with suppress(Unanswered):  # it ended while it answered: that is looked at next
            client.shutdown()
    if not wait_gone(path, pid, session.words.timeout):
        session.voice.trouble(
            f"the daemon (process {pid}) is still ending after {session.words.timeout:g} s",
            {"code": "TIMEOUT", "pid": pid},
        )
        return exits.TIMEOUT
    session.voice.answer({"running": False, "stopped": True, "pid": pid}, "the daemon has ended")
    return exits.OK


def status(session: Session) -> int:
    """Tell what runs, where, with which roles; never starts anything."""
    client = session.make_client(start=False)
    if listening(client.place) is None:
        fault = why_not(client.place)
        found = {"running": False, "socket": fault.socket, "why": fault.why}
        session.voice.answer(
            found,
            f"no daemon runs; `subsession up` starts one\n"
            f"  looked at {one_line(str(fault.socket))}: {one_line(fault.why)}",
        )
        return exits.UNREACHABLE
    with client:
        info = client.connect()
        health, roles = client.health(), client.roles()
        stats = {} if session.in_node else client.counts()
    found = {"running": True, "info": info, "health": health, "stats": stats, **roles}
    session.voice.answer(found, _status_text(client, info, health, stats, roles))
    return exits.OK


def reload(session: Session) -> int:
    """Let the daemon read its tables anew."""
    found = session.client.reload()
    read = f"read {found.get('roles')} roles and {found.get('agents')} agents"
    session.voice.answer(found, read)
    return exits.OK


def _status_text(client: Client, info: Json, health: Json, stats: Json, roles: Json) -> str:
    names = [str(role.get("name")) for role in roles.get("roles", ())]
    rows = [
        ("daemon", describe(info)),
        ("health", "well" if health.get("ok") else "not well: look at its log"),
        ("socket", str(client.socket)),
        ("state", str(info.get("stateDir"))),
        ("containers", str(info.get("containers"))),
        *([("port", str(info["port"]))] if "port" in info else []),
        ("roles", " ".join(names) or "none"),
        *((name, str(stats[name])) for name in _COUNTS if name in stats),
    ]
    if isinstance(stats.get("uptimeMs"), int):
        rows.append(("up for", say_span(stats["uptimeMs"])))
    return "\n".join(f"{one_line(name):<12} {one_line(value)}" for name, value in rows)
