"""The `jsonl` runner: makes a child of each order."""

from msgspec.structs import replace

from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.childwords import CheckSchema
from subsessiond.adapters.runners.jsonl.child import LinesChild
from subsessiond.model.role import AgentProfile
from subsessiond.ports import ChildOrder, RunnerFault, Voice

BRIEF = "{brief}"
RESUME = "{resume}"


class LinesRunner:
    """Starts headless programs that print JSON lines.

    Args:
        host: what the daemon gives to all agents.
        check_schema: holds the data of a closing result against its brief's schema.
    """

    def __init__(self, host: Host, check_schema: CheckSchema) -> None:
        self._host = host
        self._check_schema = check_schema

    def start(self, order: ChildOrder, voice: Voice) -> LinesChild:
        """Make a child ready; nothing is started before its `run`.

        Raises:
            RunnerFault: its profile names no program.
        """
        profile = order.profile
        if not profile.command:
            raise RunnerFault(f"agent {profile.name} has no command line in agents.toml")
        resume = _told(profile, _line(profile, profile.resume)) if profile.resume else ()
        command = _told(profile, _line(profile, ()))
        ready = replace(order, profile=replace(profile, command=command, resume=resume))
        return LinesChild(self._host, ready, voice, self._check_schema)


def _line(profile: AgentProfile, more: tuple[str, ...]) -> tuple[str, ...]:
    """Give the command line of a run: what a further one has more stands in its place, or last."""
    command = profile.command
    place = command.index(RESUME) if RESUME in command else len(command)
    return (*command[:place], *more, *command[place + 1 :])


def _told(profile: AgentProfile, command: tuple[str, ...]) -> tuple[str, ...]:
    """Give a command line; a brief that comes as an argument and has no place there is last."""
    has_place = any(BRIEF in part for part in command)
    if profile.brief_by != "argument" or has_place:
        return command
    return (*command, BRIEF)
