"""What a test must know to run one public agent CLI: how it is started, and how it behaves."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

BIN: Final = Path(__file__).parents[3] / ".agents/bin"
"""Where scripts/agents puts its links."""
SERVER: Final = "subsession"
"""The name under which a rig's files hand our MCP server to its agent."""


class Speaks(StrEnum):
    """What goes over the pipes of an agent."""

    ACP = "acp"
    """The Agent Client Protocol, both ways."""
    JSONL = "jsonl"
    """One brief in, JSON lines out, and an end."""


class Refusal(StrEnum):
    """What an agent does with its turn when one of its tool calls is refused."""

    GOES_ON = "goes-on"
    """The model hears of it and takes the next step."""
    ENDS_TURN = "ends-turn"
    """The turn is over; what the model was to say next is not said."""
    NOT_OFFERED = "not-offered"
    """Its model is not offered what would be refused."""
    NEVER_ASKS = "never-asks"
    """It does what its model says; there is nothing to refuse."""


class Second(StrEnum):
    """What an agent does with a prompt that comes while a turn runs."""

    MERGES = "merges"
    """The running turn's model hears it; both prompts are answered with that turn's end."""
    SWALLOWS = "swallows"
    """The running turn's model hears it; one of the two prompts is never answered."""
    CANCELS = "cancels"
    """The running turn is cancelled."""
    REFUSES = "refuses"
    """The prompt is answered with an error."""
    QUEUES = "queues"
    """It is played when the running turn is over."""


class Told(StrEnum):
    """What the answer to a prompt tells of the tokens its turn used."""

    TURN = "turn"
    """`usage` is the sum over the turn's requests."""
    LAST = "last"
    """`usage` is that of the turn's last request: less than it used."""
    QUOTA = "quota"
    """`_meta.quota.token_count` is the sum, in words of its own."""
    NOTHING = "nothing"


class Call(NamedTuple):
    """A tool call as this agent's model makes it; `{path}`, `{text}`, `{line}` are filled in."""

    tool: str
    args: Mapping[str, Any] | str

    def step(self, **words: str) -> dict[str, Any]:
        """Give the step of a script for the model stub."""
        return {"call": self.tool, "args": put_in(self.args, words)}


@dataclass(frozen=True, kw_only=True)
class Rig:
    """One agent. In `command`, `env` and `files` the words of `prepare` are filled in."""

    name: str
    speaks: Speaks
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files below its HOME, which is `{scratch}`: name and text."""
    edits: tuple[str, ...] = ()
    """JSON lines: more of a command line, with which it writes; without it writes are refused."""
    edits_env: Mapping[str, str] = field(default_factory=dict)
    """More of an environment to the same end."""
    brief_by: str = "stdin"
    """For JSON lines: `stdin`, or `argument` where the command line holds `{brief}`."""
    login: str = ""
    """ACP: the method to authenticate with before a session; none = not needed."""
    mode: str = ""
    """ACP: the session mode in which it asks before it writes; none = it does so by itself."""
    mcp_servers: bool = True
    """ACP: whether it takes a stdio MCP server with the session; else its files name it."""
    mcp_by_http: bool = False
    """ACP: whether it takes such a server by its address alone."""
    report: str
    """The name under which its model is offered the tool `report` of the server `SERVER`."""
    report_title: str = ""
    """How it names that tool when it asks for permission to call it; none = it does not ask."""
    asks_for_write: bool = True
    """Whether it asks before it writes in its workspace."""
    writes_by_client: bool = False
    """Whether it has its client write files, where the client offers to."""
    told: Told = Told.NOTHING
    write: Call
    """Writes `{text}` to `{path}`."""
    shell: Call
    """Runs `{line}`."""
    refusal: Refusal
    second: Second | None = None
    """None where nothing can be said to it after its brief."""

    @property
    def installed(self) -> bool:
        """Whether its program is here; it is not on platforms it has no build for."""
        return (BIN / Path(self.command[0]).name).exists()


class Prepared(NamedTuple):
    """An agent ready to be started."""

    argv: tuple[str, ...]
    env: dict[str, str]


def prepare(rig: Rig, scratch: Path, stub: str, *, edits: bool = False, **words: str) -> Prepared:
    """Write an agent's files into its scratch folder and give its command line and environment.

    Args:
        rig: the agent.
        scratch: an empty folder; the agent's HOME.
        stub: base URL of the model stub, without `/v1`.
        edits: whether an agent that is asked nothing may write.
        words: more to fill in: `brief`, `workspace`, and `shim_program` and `shim_args` (JSON) for
            an agent whose files name our MCP server.
    """
    if "shim_program" in words:
        whole = [words["shim_program"], *json.loads(words["shim_args"])]
        words["shim_command"] = json.dumps(whole)
    words |= {"bin": str(BIN), "scratch": str(scratch), "stub": stub, "server": SERVER}
    for name, text in rig.files.items():
        place = scratch / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(put_in(text, words))
    command = (*rig.command, *(rig.edits if edits else ()))
    env = {**rig.env, **(rig.edits_env if edits else {})}
    argv = tuple(put_in(part, words) for part in command)
    return Prepared(argv, basic_env(scratch) | put_in(env, words))


def basic_env(scratch: Path) -> dict[str, str]:
    """Give what every agent gets: a HOME of its own, and our node before the system's."""
    system = Path(shutil.which("git") or "/usr/bin/git").parent
    path = f"{BIN}:{system}:/usr/local/bin:/usr/bin:/bin"
    return {"HOME": str(scratch), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb"}


def put_in(value: Any, words: Mapping[str, str]) -> Any:
    """Fill words in braces into every text of a value; braces around other words stay."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(f"{{{word}}}", text)
        return value
    if isinstance(value, Mapping):
        return {name: put_in(inner, words) for name, inner in value.items()}
    return value
