"""`mcp`: the server that a person's own agent starts."""

import os
import sys

from subsession.cli.arguments import Verbs
from subsession.cli.session import Session

_NOTE = """\
Agents start it: put `subsession mcp` into the configuration of yours as the command of an MCP
server. It speaks MCP on its standard input and output until its input ends, and survives the
daemon. The root it opens is the agent's that started it, for as long as that runs; afterwards an
agent on the same folder finds it again, with its children and its mail."""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add("mcp", serve, "serve your agent as its MCP server", _NOTE)
    parser.add_argument("--workspace", metavar="DIR", help="default: this repository, or folder")
    parser.add_argument("--resume", metavar="ROOT", help="go on with this root")


def serve(session: Session) -> int:
    """Become the bridge.

    Why anew: the daemon knows one by its command line, which other words may stand in. And it looks
    for no program of ours in the folder that it works on, which may have a `json.py`.
    """
    words = session.words
    named = {
        "--workspace": words.workspace,
        "--resume": session.node_id(words.resume) if words.resume else None,
        "--socket": words.socket,
        "--state-dir": words.state_dir,
    }
    options = [f"{name}={value}" for name, value in named.items() if value is not None]
    session.close()
    command = [sys.executable, "-P", "-m", "subsession.mcp", *options]
    os.execv(sys.executable, command)  # noqa: S606
