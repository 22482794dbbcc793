"""Where the daemon keeps its things, and what its configuration files say.

Everything is read and checked before anything starts; a file with one bad word is refused whole.
"""

import os
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import msgspec

from subsessiond.model.base import Value
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.role import AgentProfile, Role, ToolClass
from subsessiond.ports import ConfigFault

SOCKET_PATH_BYTES = 100
"""Longest socket path; the kernel takes 107 bytes, other systems take less."""

FILES = ("subsessiond.toml", "roles.toml", "agents.toml")


class Settings(Value, frozen=True, kw_only=True):
    """Everything that is not decided by the core."""

    state_dir: Path
    config_dir: Path
    socket: Path
    policy: Policy
    headless: bool = False
    """Whether a call without a terminal may grant (for CI)."""
    container: str | None = None
    term_grace_ms: int = 3_000
    pass_environment: tuple[str, ...] = ()


def load(
    environ: Mapping[str, str],
    *,
    state_dir: str | None = None,
    socket: str | None = None,
    config_dir: str | None = None,
) -> Settings:
    """Read the configuration.

    Args:
        environ: the environment to read paths from.
        state_dir: the state directory, when the caller names one.
        socket: path of the socket, when the caller names one.
        config_dir: folder of the three configuration files, when the caller names one.

    Raises:
        ConfigFault: says which file, which table and what is wrong.
    """
    named_state = state_dir or environ.get("SUBSESSION_STATE_DIR")
    home_state = environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    state = Path(named_state or Path(home_state) / "subsessiond").absolute()
    named_config = config_dir or environ.get("SUBSESSION_CONFIG_DIR")
    home_config = environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    config = Path(named_config or Path(home_config) / "subsessiond").absolute()
    tables = {name: _read(config, name) for name in FILES}
    main = tables["subsessiond.toml"]
    processes = _table(main, "processes", "subsessiond.toml")
    container = str(processes.get("container", "strongest"))
    return Settings(
        state_dir=state,
        config_dir=config,
        socket=_socket(environ, socket, state, named=named_state is not None),
        policy=_policy(tables),
        headless=bool(_table(main, "operator", "subsessiond.toml").get("headless", False)),
        container=None if container == "strongest" else container,
        term_grace_ms=_whole(processes.get("term_grace_ms", 3_000), "term_grace_ms"),
        pass_environment=tuple(processes.get("pass_environment", ())),
    )


def _socket(environ: Mapping[str, str], socket: str | None, state: Path, *, named: bool) -> Path:
    """Choose the socket by the same order in which clients look for it."""
    chosen = socket or environ.get("SUBSESSION_SOCKET")
    if chosen:
        return Path(chosen).absolute()
    runtime = environ.get("XDG_RUNTIME_DIR")
    if named or not runtime:
        return _short(state / "run" / "daemon.sock")
    return _short(Path(runtime) / "subsessiond" / "daemon.sock")


def _short(path: Path) -> Path:
    raw = os.fsencode(path)
    if len(raw) <= SOCKET_PATH_BYTES:
        return path
    folder = Path(gettempdir()) / f"subsessiond-{os.getuid()}"
    return folder / f"{sha256(raw).hexdigest()[:16]}.sock"


def _read(config: Path, name: str) -> dict[str, Any]:
    """Read one file: the operator's where there is one, else what ships."""
    own = config / name
    try:
        text = own.read_text("utf-8") if own.is_file() else default_text(name)
        return tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        message = f"reading {own}: {error}"
        raise ConfigFault(message) from None


def default_text(name: str) -> str:
    """Give a configuration file as it ships."""
    return files("subsessiond").joinpath("defaults", name).read_text("utf-8")


def _table(source: dict[str, Any], name: str, file: str) -> dict[str, Any]:
    table = source.get(name, {})
    if not isinstance(table, dict):
        message = f"{file}: [{name}] must be a table"
        raise ConfigFault(message)
    return table


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        message = f"subsessiond.toml: {name} must be a whole number, 0 or more"
        raise ConfigFault(message)
    return value


def _policy(tables: dict[str, dict[str, Any]]) -> Policy:
    main, roles, agents = (tables[name] for name in FILES)
    tiers = _table(agents, "tiers", "agents.toml")
    policy = Policy(
        limits=_limits(_table(main, "limits", "subsessiond.toml")),
        roles=tuple(_role(name, row) for name, row in sorted(roles.items())),
        agents=tuple(
            _agent(name, row)
            for name, row in sorted(_table(agents, "agents", "agents.toml").items())
        ),
        tiers=tuple(sorted((tier, str(agent)) for tier, agent in tiers.items())),
        checks=tuple(sorted(_table(main, "checks", "subsessiond.toml"))),
        fold_case=bool(_table(main, "files", "subsessiond.toml").get("fold_case", False)),
    )
    _check_tiers(policy)
    return policy


def _check_tiers(policy: Policy) -> None:
    known = tuple(agent.name for agent in policy.agents)
    for tier, agent in policy.tiers:
        if agent not in known:
            message = f"agents.toml: tier {tier} names agent {agent}, which has no table"
            raise ConfigFault(message)


_OPTIONAL = (
    "live_per_parent",
    "live_per_tree",
    "live_total",
    "spawns_per_tree",
    "live_writers",
)


def _limits(table: dict[str, Any]) -> Limits:
    fields = {field.name for field in msgspec.structs.fields(Limits)}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in fields:
            message = f"subsessiond.toml: [limits] has no {name}"
            raise ConfigFault(message)
        unlimited = value == "unlimited" and name in _OPTIONAL
        values[name] = None if unlimited else _whole(value, name)
    return Limits(**values)


def _role(name: str, row: object) -> Role:
    if not isinstance(row, dict):
        message = f"roles.toml: {name} must be a table"
        raise ConfigFault(message)
    denied = tuple(row.pop("deny_tools", ()))
    try:
        role = msgspec.convert(_camel({"name": name, **row}), Role)
        off = tuple(ToolClass(tool) for tool in denied)
    except (msgspec.ValidationError, ValueError) as error:
        message = f"roles.toml: role {name}: {error}"
        raise ConfigFault(message) from None
    _refuse_unknown("roles.toml", name, row, Role)
    role = msgspec.structs.replace(role, tools=tuple(t for t in role.tools if t not in off))
    if role.is_leaf and ToolClass.DELEGATE in role.tools:
        message = f"roles.toml: role {name} is a leaf (depth_cap 0) and must not hold delegate"
        raise ConfigFault(message)
    return role


def _agent(name: str, row: object) -> AgentProfile:
    if not isinstance(row, dict):
        message = f"agents.toml: agents.{name} must be a table"
        raise ConfigFault(message)
    values = {"name": name, **row, "env": sorted(dict(row.get("env", {})).items())}
    try:
        profile = msgspec.convert(_camel(values), AgentProfile)
    except msgspec.ValidationError as error:
        message = f"agents.toml: agent {name}: {error}"
        raise ConfigFault(message) from None
    _refuse_unknown("agents.toml", name, row, AgentProfile)
    return profile


def _refuse_unknown(file: str, name: str, row: dict[str, Any], kind: type[Value]) -> None:
    known = {field.name for field in msgspec.structs.fields(kind)}
    for word in row:
        if word not in known:
            message = f"{file}: {name} has an unknown word {word}"
            raise ConfigFault(message)


def _camel(row: dict[str, Any]) -> dict[str, Any]:
    """Spell keys as the model's structs do."""
    return {_camel_word(key): value for key, value in row.items()}


def _camel_word(word: str) -> str:
    first, *rest = word.split("_")
    return first + "".join(part.capitalize() for part in rest)
