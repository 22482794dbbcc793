"""`subsessiond`: serve, and what an operator does to a daemon that does not run."""

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

EXIT_CONFIG = 78
EXIT_HELD = 75
EXIT_FAULT = 70


def main(arguments: list[str] | None = None) -> int:
    """Run one of the daemon's own commands; returns its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.verb == "check-config":
        return _check_config(options)
    return _serve(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="subsessiond",
        description="Runs coding agents as a tree of child sessions with bounded reports.",
        epilog="exit status: 0 stopped as asked, 70 a fault ended it, 75 another daemon serves "
        "this state directory, 78 the configuration is wrong",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    serve = verbs.add_parser("serve", help="serve until told to stop (SIGTERM, Ctrl-C)")
    check = verbs.add_parser("check-config", help="read the configuration and say what it means")
    for verb in (serve, check):
        verb.add_argument("--state-dir", help="where the registry lives")
        verb.add_argument("--socket", help="path of the socket")
        verb.add_argument(
            "--config-dir", help="folder of subsessiond.toml, roles.toml, agents.toml"
        )
    serve.add_argument("--foreground", action="store_true", help="log to standard error")
    return parser


def _check_config(options: argparse.Namespace) -> int:
    from subsessiond.ports import ConfigFault  # keep `--help` quick
    from subsessiond.settings import load

    try:
        settings = load(
            os.environ,
            state_dir=options.state_dir,
            socket=options.socket,
            config_dir=options.config_dir,
        )
    except ConfigFault as fault:
        print(f"subsessiond: {fault}", file=sys.stderr)
        return EXIT_CONFIG
    print(f"state directory  {settings.state_dir}")
    print(f"socket           {settings.socket}")
    print(f"configuration    {settings.config_dir}")
    for role in settings.policy.roles:
        agent = settings.policy.agent_for(role.tier)
        print(f"role {role.name:12} {agent.name if agent else 'no agent serves its tier'}")
    return 0


def _serve(options: argparse.Namespace) -> int:
    # Why: asked to stop while it is being loaded it stops as it always does, with status 0.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))
    with _loading():
        from subsessiond.adapters.lock import StateHeldFault  # keep `--help` quick
        from subsessiond.app import serve
        from subsessiond.model.process import ProcessFault
        from subsessiond.ports import ConfigFault, StoreFault
        from subsessiond.rpc.socketfile import SocketFault
        from subsessiond.settings import load

    try:
        settings = load(
            os.environ,
            state_dir=options.state_dir,
            socket=options.socket,
            config_dir=options.config_dir,
        )
        return asyncio.run(serve(settings, foreground=options.foreground))
    except ConfigFault as fault:
        print(f"subsessiond: {fault}", file=sys.stderr)
        return EXIT_CONFIG
    except StateHeldFault as fault:
        print(f"subsessiond: {fault}", file=sys.stderr)
        return EXIT_HELD
    except ProcessFault as fault:
        print(f"subsessiond: [processes] container: {fault}", file=sys.stderr)
        return EXIT_CONFIG
    except (StoreFault, SocketFault, OSError) as fault:
        print(f"subsessiond: {fault}", file=sys.stderr)
        return EXIT_FAULT
    except ExceptionGroup as bugs:
        print(f"subsessiond: a bug ended it: {bugs.exceptions[0]!r}; see its log", file=sys.stderr)
        return EXIT_FAULT


@contextmanager
def _loading() -> Iterator[None]:
    """Load what is there to stay: nothing of it is worth collecting, now or later.

    Why rich is hidden: structlog loads it when it is there, for colours that a log of JSON never
    has, and that takes as long as loading asyncio.
    """
    hidden = "rich" not in sys.modules
    if hidden:
        sys.modules["rich"] = None  # type: ignore[assignment]  # the language's word for it
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        if hidden:
            del sys.modules["rich"]
