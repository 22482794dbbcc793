"""`install` and `uninstall`: our lines in the settings of a client, shown before written."""

import difflib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import Session
from subsession.connect import find_place
from subsession.text import block, one_line
from subsession.verbs import Json
from subsession.workspace import workspace_here

if TYPE_CHECKING:  # a verb that is not used loads nothing
    from subsession.install.clients import Client, Where
    from subsession.install.steps import Step

AGENTS = ("claude", "codex", "gemini", "opencode", "cursor", "vscode", "zed")

_NOTE = """\
What is written: a server named `subsession`, and where the client has one, a hook by which an agent
hears of unread mail before its turn ends. All else in the files stays as it is, comments included;
the newest three of what stood there are kept beside each. Nothing is written before it was shown.
Without an agent: what is found on this machine, and how our lines stand there."""


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    doing = verbs.add("install", install, "make these tools known to an agent or an editor", _NOTE)
    undoing = verbs.add("uninstall", uninstall, "take out what `install` has put in")
    names = ", ".join(AGENTS)
    doing.add_argument("agent", nargs="?", choices=AGENTS, metavar="AGENT", help=names)
    undoing.add_argument("agent", choices=AGENTS, metavar="AGENT", help=names)
    for parser in (doing, undoing):
        scope = parser.add_mutually_exclusive_group()
        scope.add_argument(
            "--user", action="store_true", help="in your own settings; so it is without either"
        )
        scope.add_argument(
            "--project", action="store_true", help="in those of the project around this folder"
        )
        parser.add_argument("--dry-run", action="store_true", help="only show what would change")
        parser.add_argument("--yes", action="store_true", help="do not ask")


def install(session: Session) -> int:
    """Put our lines in, or tell how they stand."""
    if session.words.agent is None:
        return _list(session)
    status = _run(session, undo=False)
    if status == exits.OK and not session.words.dry_run:
        _offer_passphrase(session)
    return status


def uninstall(session: Session) -> int:
    """Take our lines out."""
    return _run(session, undo=True)


def _run(session: Session, *, undo: bool) -> int:
    from subsession.install import clients, files, steps

    words, voice = session.words, session.voice
    if session.in_node:
        return _refuse(session, "NOT_ALLOWED", "a child leaves its person's settings alone")
    client = clients.client_named(words.agent)
    scope = clients.Scope.PROJECT if words.project else clients.Scope.USER
    state_dir = find_place(os.environ, words.socket, words.state_dir).state_dir
    try:
        lines = client.lines(_where(session, scope), scope)
        planned = steps.plan(lines, state_dir, undo=undo)
        changes = [step for step in planned if step.edit.is_change]
        for step in changes:
            _show(session, step)
        if changes and not words.dry_run:
            if not words.yes and not _is_wanted(session, undo=undo):
                return _refuse(session, "DECLINED", "nothing was changed")
            kept = steps.carry_out(changes, state_dir, undo=undo)
        else:
            kept = ()
    except files.Refusal as refusal:
        return _refuse(session, "FILE_REFUSED", f"{refusal}; it was left as it is")
    told = _told(client, scope, planned, done=bool(changes) and not words.dry_run)
    said = _said(client, changes, undo=undo, dry=words.dry_run)
    voice.answer({**told, "kept": list(map(str, kept))}, said)
    return exits.OK


def _where(session: Session, scope: str) -> "Where":
    from subsession.install import clients, steps

    options = (("--socket", session.words.socket), ("--state-dir", session.words.state_dir))
    # Why absolute: the client starts it somewhere else.
    more = [word for name, path in options if path for word in (name, str(Path(path).absolute()))]
    return clients.Where(
        home=Path.home(),
        environ=os.environ,
        project=workspace_here(),
        launcher=steps.find_launcher(sys.argv, clients.Scope(scope)),
        options=tuple(more),
    )


def _show(session: Session, step: "Step") -> None:
    """Show what would change in a file."""
    if session.voice.as_json:
        return
    for line in _diff(step):
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        session.voice.line(session.voice.style(colour, block(line)))


def _diff(step: "Step") -> list[str]:
    before, after = (
        (data or b"").decode("utf-8-sig").splitlines()
        for data in (step.edit.before, step.edit.after)
    )
    path, real = step.found.path, step.found.real
    # Why: of a project's link it has to be seen that it leads out of the project.
    name = one_line(str(path) if path == real else f"{path} -> {real}")
    old = name if step.edit.before is not None else os.devnull
    new = name if step.edit.after is not None else os.devnull
    return list(difflib.unified_diff(before, after, old, new, lineterm=""))


def _is_wanted(session: Session, *, undo: bool) -> bool:
    """Ask; where nobody can be asked, it is not."""
    if not sys.stdin or not sys.stdin.isatty():
        session.voice.note("there is no terminal to ask at: say --yes, or --dry-run to look only")
        return False
    question = "take this out? [y/N] " if undo else "write this? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refuse(session: Session, code: str, text: str) -> int:
    session.voice.trouble(text, {"code": code, "message": text})
    return exits.REFUSED


def _told(client: "Client", scope: str, planned: "tuple[Step, ...]", *, done: bool) -> Json:
    files = [
        {
            "file": str(step.found.path),
            "was": [
                {"what": str(line.what), "state": str(state)}
                for line, state in zip(step.lines, step.edit.states, strict=True)
            ],
            "changes": step.edit.is_change,
        }
        for step in planned
    ]
    return {"agent": client.name, "scope": str(scope), "done": done, "files": files}


def _said(client: "Client", changes: "list[Step]", *, undo: bool, dry: bool) -> str:
    if not changes:
        there = "nothing of ours is there" if undo else "it is there already"
        return f"{client.title}: nothing to do, {there}"
    if dry:
        return f"{client.title}: nothing was changed, this is a dry run"
    if undo:
        return f"{client.title}: taken out"
    notes = [note for note in (client.next_step, client.without_hook) if note]
    said = f"{client.title}: installed; it is read when {client.title} starts anew"
    return "\n".join((said, *(f"  {note}" for note in notes)))


def _list(session: Session) -> int:
    """Tell which clients are here, and how our lines stand in their settings."""
    from subsession.install import clients, steps

    rows, lines = [], []
    for client in clients.CLIENTS:
        found = steps.find_client(client, _where(session, clients.Scope.USER))
        places = [
            {
                "scope": str(scope),
                "what": str(one.what),
                "file": str(one.file),
                "state": str(steps.state_of(one)),
            }
            for scope in clients.Scope
            for one in client.lines(_where(session, scope), scope)
        ]
        rows.append(
            {
                "agent": client.name,
                "title": client.title,
                "found": bool(found),
                "by": found,
                "tried": client.tried,
                "places": places,
            }
        )
        lines += _row(client, found, places)
    session.voice.answer({"clients": rows}, "\n".join(lines))
    return exits.OK


def _row(client: "Client", found: str, places: list[dict[str, str]]) -> list[str]:
    seen = f"found: {one_line(found)}" if found else "not found"
    head = f"{client.name:<10} {client.title:<12} {seen}"
    shown = [place for place in places if place["state"] != "absent"]
    width = len("installed")
    return [
        head,
        *(
            f"  {p['state']:<{width}}  {p['what']:<6}  {p['scope']:<7}  {one_line(p['file'])}"
            for p in shown
        ),
    ]


def _offer_passphrase(session: Session) -> None:
    """Say once more that there is such a thing, where none is set."""
    if session.voice.as_json or _has_passphrase():
        return
    session.voice.note(
        "no passphrase is set: with one, no agent can grant anything in your name; "
        "`subsessiond passphrase` makes it"
    )


def _has_passphrase() -> bool:
    import tomllib

    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    folder = Path(os.environ.get("SUBSESSION_CONFIG_DIR") or Path(home) / "subsessiond")
    settings: Json = {}
    with suppress(OSError, ValueError):
        settings = tomllib.loads((folder / "subsessiond.toml").read_text())
    operator = settings.get("operator")
    return isinstance(operator, dict) and bool(operator.get("passphrase"))
