"""Three ways to have two halves looked through, and what each way cost the one who asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.lifecycle.stage import drop_folder, make_folder, stage
from tests.support.modelstub import Request, Stub, script
from tests.support.parents import seen, work
from tests.support.parents.leads import CLAUDE, CODEX, Lead
from tests.support.parents.play import Ended, parent
from tests.support.shipped import agent_table, make_home, tables_toml

KINDS: Final = {"north": "pi-acp", "south": "kimi-acp"}
"""Which agent looks through which half."""
ROLES: Final = """
[north]
tier = "north"
depth_cap = 0
tools = ["read", "edit", "execute", "search", "fetch", "think"]
[south]
tier = "south"
depth_cap = 0
tools = ["read", "edit", "execute", "search", "fetch", "think"]
"""


@dataclass(frozen=True)
class Cost:
    """What one way cost, as the model server saw it."""

    shown_bytes: int
    """All that the parent's model was given after its mission, whoever wrote it."""
    transcript_bytes: int
    """All that the children's models were given after theirs; without children, the parent's."""
    parent_calls: int
    children_calls: int
    seconds: float
    lines: int
    """Lines of the files that the parent's model was given."""
    tools_bytes: int
    """Definitions of the tools by which the parent starts others, in each of its requests."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it is recorded."""
        return asdict(self)


def agents_toml(stub: str) -> str:
    """Give the shipped agents with a tier for each half."""
    tables = {kind: agent_table(kind, stub) for kind in KINDS.values()}
    return tables_toml(dict(KINDS), tables)


def home_of(stub: str, home: Path) -> dict[str, str]:
    """Fill one user's home with what each agent wants there."""
    environ = [make_home(kind, stub, home) for kind in KINDS.values()][-1]
    # Why: at a model's real size Kimi Code sums up what it has read, and that has no script in it.
    place = home / ".kimi-code/config.toml"
    place.write_text(place.read_text().replace("= 128000", "= 1000000"))
    return environ


@contextmanager
def new_home() -> Iterator[Path]:
    """Give a folder for the length of a block."""
    home = make_folder("home-")
    try:
        yield home
    finally:
        drop_folder(home)


def spawns(*, chatty: bool) -> tuple[work.Step, ...]:
    """Hire for both halves."""
    tasks = {half: work.ours(half, kind, chatty=chatty) for half, kind in KINDS.items()}
    return tuple(
        {"call": "subsession_spawn", "args": {"role": half, "title": half, "mission": task}}
        for half, task in tasks.items()
    )


async def ours(lead: Lead, *, chatty: bool) -> Cost:
    """Have children of ours look, of two other agents."""
    inbox = {"call": "subsession_inbox", "args": {"waitMs": 50_000, "acknowledge": True}}
    until = {"until": [f"{half}[ ]half is looked" for half in work.HALVES]}
    told = script(*spawns(chatty=chatty), inbox | until, {"text": "Both."})
    async with stage(agents_toml, home_of, {"roles.toml": ROLES}) as here:
        work.fill(here.daemon.workspace)
        with new_home() as home:
            prepared = lead.prepare(home, here.stub.url, here.daemon.state)
            async with parent(prepared, here.daemon.workspace, told) as running:
                ended = await running.end()
        return _cost(here.stub.requests, ended, "subsession")


async def own(lead: Lead, *, chatty: bool) -> Cost:
    """Have the agent's own subagents look."""
    return await _alone(lead, _OWN[lead.name](_tasks(lead, chatty=chatty)), lead.own)


async def by_itself(lead: Lead, *, chatty: bool) -> Cost:
    """Have the parent look through both halves itself, and say what it has found."""
    said = work.ends("south", "text", chatty=chatty)
    return await _alone(lead, script(*work.looks(lead.shell, *work.HALVES), said))


async def _alone(lead: Lead, words: str, tools: str = "") -> Cost:
    async with Stub() as stub:
        with new_home() as home:
            folder = home / "work"
            folder.mkdir()
            work.fill(folder)
            async with parent(lead.prepare(home, stub.url), folder, words) as running:
                ended = await running.end()
        return _cost(stub.requests, ended, tools)


def _of_claude(tasks: dict[str, str]) -> str:
    asks = [
        {
            "call": "re:^Agent$",
            "args": {"description": half, "prompt": task, "subagent_type": "general-purpose"},
        }
        for half, task in tasks.items()
    ]
    over = {"<task-notification>": [{"text": "Heard."}]}
    return script({"calls": asks}, {"text": "I wait."}, when=over)


def _of_codex(tasks: dict[str, str]) -> str:
    hires = [{"call": "spawn_agent", "args": {"message": task}} for task in tasks.values()]
    waits = [
        {
            "call": "wait_agent",
            "args": {"targets": [f"<{half}>"], "timeout_ms": 60_000},
            "take": {half: f'(?s)^{".*?agent_id" * number}":"([^"]+)'},
        }
        for number, half in enumerate(work.HALVES, 1)
    ]
    return script(*hires, *waits, {"text": "Both."})


def _tasks(lead: Lead, *, chatty: bool) -> dict[str, str]:
    return {
        half: work.mission(
            half, *work.looks(lead.shell, half), work.ends(half, "text", chatty=chatty)
        )
        for half in work.HALVES
    }


_OWN: Final = {CLAUDE.name: _of_claude, CODEX.name: _of_codex}
WAYS: Final = {"subsession": ours, "its own subagents": own, "by itself": by_itself}


def _cost(requests: list[Request], ended: Ended, tools: str) -> Cost:
    """Add up; both halves have to have been looked through."""
    faults = [request.fault for request in requests if request.fault]
    assert (ended.status, faults) == (0, []), ended.said[-2_000:]
    mine = seen.of_parent(requests)
    shown = seen.given_since(mine)
    theirs = [found for half in work.HALVES if (found := seen.of_child(requests, half))]
    looked = [request for found in theirs for request in found] if theirs else mine
    whole = [line for half in work.HALVES for line in work.lines(half, work.PAGES - 1)]
    assert all(any(request.holds(line) for request in looked) for line in (whole[0], whole[-1]))
    transcript = sum(map(seen.transcript_bytes, theirs or [mine]))
    text = "\n".join(given.text for given in shown)
    return Cost(
        shown_bytes=sum(given.size for given in shown),
        transcript_bytes=transcript,
        parent_calls=len(mine),
        children_calls=sum(map(len, theirs)),
        seconds=round(ended.seconds, 2),
        lines=text.count(work.SECRET),
        tools_bytes=seen.tools_bytes(mine[0], tools) if tools else 0,
    )
