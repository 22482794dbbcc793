"""`hook`: what agents run themselves. `subsession.entry` has done it before a verb is read."""

from subsession.cli.arguments import Verbs
from subsession.cli.session import Session

_NOTE = """\
`subsession install` writes it into the settings of an agent that has hooks. It reads on standard
input what happens, and says on standard output what that agent is to hear: nothing, or that there
is mail it has not read. Its status is 0 in any case, and it starts no daemon."""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add("hook", hook, "tell an agent that ends its turn of unread mail", _NOTE)
    parser.add_argument("event", choices=("stop",), metavar="stop", help="the end of a turn")


def hook(session: Session) -> int:
    """Answer as an agent is answered, wherever options were put."""
    from subsession.hook import run_words

    named = (("--socket", session.words.socket), ("--state-dir", session.words.state_dir))
    return run_words([word for name, value in named if value for word in (name, value)])
