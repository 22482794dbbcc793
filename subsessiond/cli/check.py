"""`subsessiond check-config`."""

import argparse
import os
import shlex
from pathlib import Path

from subsessiond.cli.exits import DONE, Ended, faults_told
from subsessiond.model.policy import Policy
from subsessiond.settings import FILES, Settings, load


def check_config(options: argparse.Namespace) -> int:
    """Read the configuration and say what it means."""
    try:
        with faults_told():
            settings = load(
                os.environ,
                state_dir=options.state_dir,
                socket=options.socket,
                config_dir=options.config_dir,
            )
    except Ended as ended:
        return ended.status
    print(f"state directory  {settings.state_dir}")
    print(f"socket           {settings.socket}")
    print(f"configuration    {settings.config_dir}")
    print(f"files            {files_of(settings.config_dir)}")
    print(f"containers       {settings.container or 'the strongest that works here'}")
    print(f"granting         {granting_of(settings)}")
    for line in roles_of(settings.policy):
        print(line)
    for name, argv in settings.checks:
        print(f"check {name:11} {shlex.join(argv)}")
    return DONE


def granting_of(settings: Settings) -> str:
    """Say what a call needs that grants something."""
    terminal = "no terminal" if settings.headless else "a terminal of your own"
    secret = "no passphrase" if settings.passphrase is None else "the passphrase"
    return f"needs {terminal} and {secret}"


def files_of(config_dir: Path) -> str:
    """Say which of the three files are there, and what stands in for the others."""
    found = [name for name in FILES if (config_dir / name).exists()]
    shipped = [name for name in FILES if name not in found]
    said = [" ".join(found)] if found else []
    return "; ".join([*said, *(["as shipped: " + " ".join(shipped)] if shipped else [])])


def roles_of(policy: Policy) -> tuple[str, ...]:
    """Say which agent serves each role."""
    lines = []
    for role in policy.roles:
        agent = policy.agent_for(role.tier)
        served = f"{agent.name} ({agent.runner})" if agent else f"no agent serves tier {role.tier}"
        lines.append(f"role {role.name:12} {served}")
    return tuple(lines)
