"""The daemon, its containers, its roles and its agents, as it tells of them."""

import shlex
import sys
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import Final

from subsession.doctor.findings import Finding, State
from subsession.verbs import Json

_CONTAINERS: Final = {
    "cgroup": "a cgroup of its own holds each child and all it starts",
    "pidns": "a PID namespace of its own holds each child and all it starts",
    "descent": "children are held by descent and a mark, the weakest way there is",
}
_WEAKEST: Final = "descent"


def look_at_daemon(info: Json, *, started: bool, client_version: str) -> Iterable[Finding]:
    """Tell of the daemon itself."""
    version, pid = str(info.get("version")), info.get("pid")
    said = f"{version}, process {pid}, {'started just now' if started else 'running'}"
    if version == client_version:
        yield Finding("daemon", State.GOOD, said)
    else:
        said = f"{said}; this command is {client_version}"
        yield Finding("daemon", State.NOTE, said, "subsession down && subsession up")
    yield Finding("socket", State.GOOD, f"{info.get('socket')}, yours alone")
    yield Finding("state", State.GOOD, str(info.get("stateDir")))
    yield look_at_configuration(str(info.get("configDir", "")))


def look_at_configuration(folder: str) -> Finding:
    """Tell which files are the user's own."""
    names = ("subsessiond.toml", "roles.toml", "agents.toml")
    own = [name for name in names if folder and (Path(folder) / name).exists()]
    said = f"{folder}: " + (", ".join(own) if own else "nothing there, all as shipped")
    return Finding("configuration", State.GOOD, said)


def look_at_containers(info: Json) -> Finding:
    """Tell what holds children together."""
    kind = str(info.get("containers"))
    said = _CONTAINERS.get(kind, kind)
    if kind != _WEAKEST:
        return Finding("containers", State.GOOD, said)
    if sys.platform != "linux":
        return Finding("containers", State.NOTE, f"{said}; this system has no other")
    return Finding("containers", State.NOTE, said, "let it use user namespaces, or a cgroup v2")


def look_at_caller(who: Json) -> Finding:
    """Tell for whom the daemon takes whoever types this."""
    if who.get("kind") == "operator":
        if who.get("mayGrant"):
            return Finding("you", State.GOOD, "the person, at a terminal of her own: you may grant")
        said = f"the person, who grants nothing from here: {who.get('why')}"
        return Finding("you", State.NOTE, said, "a terminal of your own")
    held: Json = who.get("territory") or {}
    name = f" ({held['name']})" if held.get("name") else ""
    below = f", by process {held['pid']}{name} above you" if held else ""
    said = f"the {who.get('kind')} {who.get('nodeId')}{below}: it may do here what that may"
    todo = 'another terminal; or [operator] territory = "bridge", where this one is your editor\'s'
    return Finding("you", State.NOTE, said, todo if who.get("kind") == "root" else "")


def look_at_roles(roles: Iterable[Json], folder: str) -> Iterable[Finding]:
    """Tell which roles can be hired for."""
    rows = tuple(roles)
    ready = [str(row["name"]) for row in rows if row.get("agent")]
    bare = [row for row in rows if not row.get("agent")]
    if ready:
        yield Finding("roles", State.GOOD, f"{', '.join(ready)}: can be hired")
    if bare:
        names = ", ".join(str(row["name"]) for row in bare)
        tier = str(bare[-1]["tier"])
        line = f'[tiers]: {tier} = "claude", or another agent'
        todo = f"{_where(Path(folder) / 'agents.toml')}, {line}"
        yield Finding("roles", State.NOTE, f"{names}: no agent serves them", todo)


def _where(own: Path) -> str:
    # Why a copy: the user's file is read in place of the shipped one, and has to know its agents.
    if own.exists() or not own.parent.is_absolute():
        return f"in {own}"
    shipped = resources.files("subsessiond").joinpath("defaults", own.name)
    make = "" if own.parent.exists() else f"mkdir -p {shlex.quote(str(own.parent))} && "
    return f"{make}cp {shlex.quote(str(shipped))} {shlex.quote(str(own))}; in it"


def look_at_agents(agents: Iterable[Json], version_of: Callable[[str], str]) -> Iterable[Finding]:
    """Tell which agents are here; one that is not, and serves no role, is only named."""
    away = []
    for row in agents:
        name, problem = str(row["name"]), str(row.get("problem", ""))
        if problem and not row.get("tiers"):
            away.append(name)
        elif problem:
            tiers = ", ".join(map(str, row["tiers"]))
            todo = f"install it, or name another agent for the tier {tiers} in agents.toml"
            yield Finding(name, State.BAD, problem, todo)
        elif program := str(row.get("program", "")):
            version = version_of(program)
            yield Finding(name, State.GOOD, f"{version}, {program}" if version else program)
    if away:
        said = f"{', '.join(away)}: known, and not installed or not set up"
        yield Finding("not here", State.NOTE, said)
