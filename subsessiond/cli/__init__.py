"""`subsessiond`: serve, and what an operator does to a daemon that does not run.

serve   the daemon               check     what the configuration means
recover without serving          service   a unit for the system's service manager
passphrase   the line that stands for one in the configuration
exits   statuses, and how a fault becomes one sentence and one of them

Each verb's module is loaded when it is asked for: `--help` is quick, and `serve` has to hear of a
stop while it is still being loaded.
"""

import argparse

from subsessiond.cli.exits import LEGEND


def main(arguments: list[str] | None = None) -> int:
    """Run one of the daemon's own commands; returns its exit status."""
    options = _parser().parse_args(arguments)
    match options.verb:
        case "serve":
            from subsessiond.cli.serve import serve

            return serve(options)
        case "check-config":
            from subsessiond.cli.check import check_config

            return check_config(options)
        case "recover":
            from subsessiond.cli.recover import recover

            return recover(options)
        case "passphrase":
            from subsessiond.cli.passphrase import passphrase

            return passphrase(options)
        case _:
            from subsessiond.cli.service import install_service

            return install_service(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="subsessiond",
        description="Runs coding agents as a tree of child sessions with bounded reports.",
        epilog=LEGEND,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    serve = verbs.add_parser("serve", help="serve until told to stop (SIGTERM, Ctrl-C)")
    check = verbs.add_parser("check-config", help="read the configuration and say what it means")
    recover = verbs.add_parser(
        "recover", help="end and settle what a daemon that died has left, without serving"
    )
    service = verbs.add_parser(
        "install-service", help="write a unit for systemd or launchd, and show it"
    )
    secret = verbs.add_parser(
        "passphrase", help="ask for a passphrase and print the line that stands for it"
    )
    secret.add_argument(
        "--passphrase-stdin",
        action="store_true",
        help="take it from the first line of standard input instead of the terminal",
    )
    for verb in (serve, check, recover, service):
        verb.add_argument("--state-dir", metavar="FOLDER", help="where the registry lives")
        verb.add_argument("--socket", metavar="PATH", help="path of the socket")
        verb.add_argument(
            "--config-dir",
            metavar="FOLDER",
            help="folder of subsessiond.toml, roles.toml, agents.toml",
        )
    serve.add_argument("--foreground", action="store_true", help="log to standard error")
    service.add_argument("--print", action="store_true", help="only print it")
    service.add_argument(
        "--replace", action="store_true", help="write it over a file that says something else"
    )
    service.add_argument("--kind", choices=("systemd", "launchd"), help="default: this system's")
    service.add_argument("--folder", metavar="FOLDER", help="where units of this user are")
    return parser
