"""`roles`: what a spawn may name, and which roles of a workspace may be used."""

from pathlib import Path

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.granting import add_option, granted
from subsession.cli.session import Session, UsageProblem
from subsession.text import cut, one_line
from subsession.verbs import Json

_SHOWN_COLUMNS = 70
"""Of a description."""

_PREFIX = "project/"


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add(
        "roles",
        roles,
        "list the roles, and accept one that this folder brings along",
        "A folder's .claude/agents/*.md are roles named project/NAME. Each may be used\n"
        "once you have accepted its file as it is: subsession roles accept NAME. Read it\n"
        "before: it is what a child reads first. A changed file is accepted anew.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "accept"), default="list")
    parser.add_argument("name", nargs="?", metavar="NAME", help="of a role that is accepted")
    parser.add_argument("--digest", metavar="SHA256", help="accept it only if its file is this one")
    parser.add_argument("--workspace", metavar="DIR", help="default: this folder")
    add_option(parser)


def roles(session: Session) -> int:
    """List the roles, or accept one."""
    words = session.words
    if words.action == "accept":
        return _accept(session)
    if words.name is not None:
        raise UsageProblem("list takes no name")
    folder = None if session.in_node else _folder(session)
    found = session.client.roles(folder)
    session.voice.answer(found, _text(found))
    return exits.OK


def _folder(session: Session) -> str:
    return str(Path(session.words.workspace or ".").absolute())


def _accept(session: Session) -> int:
    words = session.words
    if words.name is None:
        raise UsageProblem("accept which? `subsession roles` lists them")
    folder, name = _folder(session), _PREFIX + words.name.removeprefix(_PREFIX)
    digest = words.digest or _digest_of(session.client.roles(folder), name)
    found = granted(
        session,
        lambda passphrase: session.client.accept_role(folder, name, digest, passphrase=passphrase),
    )
    said = [
        f"accepted {one_line(str(found.get('name')))} as {one_line(str(found.get('file')))} is now",
        f"  sha256 {one_line(str(found.get('digest')))}",
        *(f"  {one_line(str(warning))}" for warning in found.get("warnings", ())),
    ]
    session.voice.answer(found, "\n".join(said))
    return exits.OK


def _digest_of(found: Json, name: str) -> str:
    """Give the digest of a role as it is listed; of one that is not, what the daemon refuses."""
    digests = [row.get("digest") for row in found.get("project", ()) if row.get("name") == name]
    return str(next(filter(None, digests), "0" * 64))


def _text(found: Json) -> str:
    lines = [_row(row) for row in found.get("roles", ())]
    brought = found.get("project", ())
    if brought:
        lines += ["", "of this folder"]
    for row in brought:
        lines += _brought(row)
    if any(row.get("state") in ("unaccepted", "changed") for row in brought):
        lines += ["", "next: read its file, then subsession roles accept NAME"]
    return "\n".join(lines) or "no roles"


def _row(row: Json) -> str:
    tools = ",".join(map(str, row.get("tools", ())))
    agent = str(row.get("agent") or "no agent")
    return f"{one_line(str(row.get('name'))):<20} {one_line(agent):<14} {one_line(tools)}"


def _brought(row: Json) -> list[str]:
    name = str(row.get("name") or row.get("workspace"))
    file = one_line(str(row.get("file", "")))
    head = f"{one_line(name):<20} {one_line(str(row.get('state'))):<11} {file}".rstrip()
    said = [("", cut(str(row.get("description", "")), _SHOWN_COLUMNS))]
    if row.get("extends"):
        tools = ",".join(map(str, row.get("tools", ()))) or "none"
        said.append(("", f"as {row['extends']}, tools {tools}"))
    said += [("why: ", str(row.get("problem", "")))]
    said += [("note: ", str(warning)) for warning in row.get("warnings", ())]
    said += [("sha256 ", str(row.get("digest", "")))]
    return [head, *(f"    {mark}{one_line(text)}" for mark, text in said if text)]
