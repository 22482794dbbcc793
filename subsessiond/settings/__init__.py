"""Where the daemon keeps its things, and what its configuration files say.

Everything is read and checked before anything starts; a file with one bad word is refused whole.

places   folders and socket       tables   reading, word by word
daemon   subsessiond.toml         roles    roles.toml         agents   agents.toml
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from subsessiond.adapters.passphrase import Passphrase
from subsessiond.model.base import Value
from subsessiond.model.policy import Policy
from subsessiond.ports import ConfigFault
from subsessiond.settings.agents import read_agents
from subsessiond.settings.daemon import (
    KEEP_DAYS,
    MOST_MIB,
    ContainerChoice,
    DaemonTable,
    NotifyChoice,
    TerritoryChoice,
    read_daemon,
)
from subsessiond.settings.places import find_places
from subsessiond.settings.roles import read_roles
from subsessiond.settings.secrets import SecretValues, find_secrets

FILES = ("subsessiond.toml", "roles.toml", "agents.toml")


class Settings(Value, frozen=True, kw_only=True):
    """Everything that is not decided by the core."""

    state_dir: Path
    config_dir: Path
    socket: Path
    policy: Policy
    headless: bool = False
    """Whether a call without a terminal may grant (for CI)."""
    passphrase: Passphrase | None = None
    """What is kept of the passphrase that granting calls need besides; none = they need none."""
    notify: NotifyChoice = NotifyChoice.NONE
    """What is shown on the person's desktop."""
    bridges_alone: bool = False
    """Whether an MCP bridge stands for itself, and not for the agent above it."""
    container: str | None = None
    """Kind of container; none = the strongest that works here."""
    term_grace_ms: int = 3_000
    pass_environment: tuple[str, ...] = ()
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The operator's checks: name and command line; a brief names one, and never brings one."""
    secrets: SecretValues = SecretValues()
    """What is taken out of texts that others wrote; read once, when the daemon starts."""
    transcripts_keep_days: int = KEEP_DAYS
    transcripts_most_mib: int = MOST_MIB
    tcp_port: int | None = None
    """Port of loopback that is opened at the start; none = a free one, when something needs it."""


def load(
    environ: Mapping[str, str],
    *,
    state_dir: str | None = None,
    socket: str | None = None,
    config_dir: str | None = None,
) -> Settings:
    """Read the configuration, all of it or nothing.

    Args:
        environ: the environment to read paths from.
        state_dir: the state directory, when the caller names one.
        socket: path of the socket, when the caller names one.
        config_dir: folder of the three configuration files, when the caller names one.

    Raises:
        ConfigFault: says which file, which table and word, and what is wrong.
    """
    places = find_places(environ, state_dir, socket, config_dir)
    policy, daemon = _read_all(places.config)
    strongest = daemon.container is ContainerChoice.STRONGEST
    return Settings(
        state_dir=places.state,
        config_dir=places.config,
        socket=places.socket,
        policy=policy,
        headless=daemon.headless,
        passphrase=daemon.passphrase,
        notify=daemon.notify,
        bridges_alone=daemon.territory is TerritoryChoice.BRIDGE,
        container=None if strongest else str(daemon.container),
        term_grace_ms=daemon.term_grace_ms,
        pass_environment=daemon.pass_environment,
        checks=daemon.checks,
        secrets=find_secrets(environ, daemon.secrets_from, daemon.pass_environment, policy),
        transcripts_keep_days=daemon.transcripts_keep_days,
        transcripts_most_mib=daemon.transcripts_most_mib,
        tcp_port=daemon.tcp_port,
    )


def load_policy(config: Path) -> Policy:
    """Read the configuration anew, for a daemon that runs.

    Raises:
        ConfigFault: as `load`.
    """
    return _read_all(config)[0]


def _read_all(config: Path) -> tuple[Policy, DaemonTable]:
    main, roles, agents = (_read(config, name) for name in FILES)
    daemon = read_daemon(main)
    checks = tuple(name for name, _ in daemon.checks)
    profiles, tiers = read_agents(agents)
    policy = Policy(
        limits=daemon.limits,
        roles=read_roles(roles, checks),
        agents=profiles,
        tiers=tiers,
        checks=checks,
        fold_case=daemon.fold_case,
        project_bases=daemon.project_bases,
    )
    return policy, daemon


def _read(config: Path, name: str) -> dict[str, Any]:
    """Read one file: the operator's where there is one, else what ships."""
    own = config / name
    try:
        text = own.read_text("utf-8") if own.exists() else default_text(name)
        return tomllib.loads(text)
    except OSError as error:
        raise ConfigFault(str(own), f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # not UTF-8, or no TOML
        raise ConfigFault(str(own), f"cannot be read: {error}") from None


def default_text(name: str) -> str:
    """Give a configuration file as it ships."""
    return files("subsessiond").joinpath("defaults", name).read_text("utf-8")
