"""The life that every agent is led through: four children of one root, and what came of each.

The first reports progress, saves, writes a file it owns and one it does not, and ends blocked. Its
successor is told something in its turn and sends the final. Meanwhile one child is killed and one
is cancelled, each in the middle of a command.
"""

import asyncio
import json
import os
import signal
import time
import uuid
from typing import Any, Final

from tests.support.closing import within
from tests.support.lifecycle.properties import YES, expected, prompt_mark
from tests.support.lifecycle.stage import Stage
from tests.support.modelstub import script
from tests.support.rigs import Refusal, Rig, Speaks

CHATTER: Final = "zebra crossing"
"""What the first one's model says beside its calls; neither parent nor successor is to see it."""
PLACE: Final = {"phase": "half way", "state": "one of two", "nextStep": "write the other"}
FOREIGN: Final = "other/foreign.txt"
BLOCKER: Final = f"approval-required: fs write {FOREIGN}"
BLOCKED: Final = {
    "output": "One file is not mine.",
    "stage": "final",
    "outcome": "blocked",
    "blockers": [BLOCKER],
}
FINAL: Final = {"output": "Both files are there.", "stage": "final", "outcome": "completed"}
WORDS: Final = "look at the south wing"
LATE_WORDS: Final = "look at the north wing"
LATE_REGEX: Final = "at the [n]orth wing"
"""Finds them, and does not hold them: it stands in the first prompt."""
TURN_ENDED: Final = "Your turn ended after you were refused"
GONE_S: Final = 20.0
MESSAGE_BYTES: Final = 600


class Course:
    """One life; `seen` is what of it held, `figures` what it took."""

    def __init__(self, stage: Stage, rig: Rig) -> None:
        self.stage = stage
        self.rig = rig
        self.seen: dict[str, str] = {}
        self.figures: dict[str, int | None] = {}
        self._goes_on = rig.refusal is not Refusal.ENDS_TURN or rig.speaks is not Speaks.ACP
        """Else its model has to be told what was refused, and to report that."""
        self._takes_prompts = expected(rig.name, "late") == YES
        self._sleep = f"300.{uuid.uuid4().int % 10**8:08d}"

    async def run(self) -> None:
        """Lead it."""
        first = await self._work()
        second = await self._succeed(first)
        killed = await self._in_tool("killed")
        cancelled = await self._in_tool("cancelled")
        await self._kill(killed)
        await self._cancel(cancelled)
        await self._finish(first, second)
        await self._judge_mail(first, killed, cancelled, second)
        children = ("first", first["nodeId"]), ("second", second)
        self._note("tokens", await self._tokens(*children))
        within(self.stage.left_here, "processes in the workspace", GONE_S)
        assert self.stage.stub.faults == []

    def _note(self, name: str, found: bool | str) -> None:
        self.seen[name] = found if isinstance(found, str) else (YES if found else "no")

    def _write(self, name: str) -> dict[str, Any]:
        path = self.stage.daemon.workspace / name
        path.parent.mkdir(exist_ok=True)
        return self.rig.write.step(path=str(path), text="hello")

    def _has(self, name: str) -> bool:
        path = self.stage.daemon.workspace / name
        return path.exists() and path.read_text().strip() == "hello"

    async def _work(self) -> dict[str, Any]:
        report = {"call": "report", "args": {"output": "Begun.", "stage": "progress"}}
        blocked = ({"call": "report", "args": BLOCKED, "text": CHATTER}, {"text": CHATTER})
        node = await self.stage.spawn(
            "first",
            {**report, "text": CHATTER},
            {"call": "subsession_checkpoint", "args": PLACE, "wait": "read"},
            {**self._write("src/out.txt"), "text": CHATTER},
            {**self._write(FOREIGN), "text": CHATTER},
            *blocked,
            when={TURN_ENDED: blocked},
            ownedGlobs=["src/**"],
        )
        await self.stage.held("read")
        await self.stage.read_mail(1)
        self._note("progress", self.stage.mail[0]["text"].splitlines()[1] == "Begun.")
        self._note("probe", await self._was_probed(node))
        self.stage.stub.release("read")
        row = await self.stage.until(node, "released")
        await self._judge_work(node, row)
        return row

    async def _was_probed(self, node: str) -> bool:
        """Tell whether its model was offered our tools at once and, where prompts come from us,
        whether it counted as running before the first.
        """
        row = await self.stage.until(node, "running")
        offered = self.stage.asked("first")[0].offered
        listed = {"report", "subsession_checkpoint"}
        ok = all(any(tool.endswith(name) for tool in offered) for name in listed)
        self.figures["untilRunningMs"] = row["startedAt"] - row["claimedAt"]
        if mark := prompt_mark(self.rig.name):
            page = await self.stage.call("transcript", nodeId=node, after=0)
            said = [r for r in page["records"] if r["kind"] == "in"]
            prompts = [r["at"] for r in said if mark in r["text"]]
            ok = ok and row["startedAt"] <= prompts[0]
            self.figures["untilFirstWordMs"] = said[0]["at"] - row["claimedAt"]
        return ok

    async def _judge_work(self, node: str, row: dict[str, Any]) -> None:
        self._note("write", self._has("src/out.txt"))
        self._note("refusal", not self._has(FOREIGN))
        envelope = (await self.stage.call("node", nodeId=node))["envelope"]
        rows = (await self.stage.call("blocked"))["rows"]
        ends = (row["outcome"], envelope["blockers"], [found["nodeId"] for found in rows])
        told = self._goes_on or bool(self.stage.stub.holding(f"; blocker: {BLOCKER}"))
        self._note("blocked", told and ends == ("blocked", [BLOCKER], [node]))
        line = int(row["checkpoint"].rpartition("#")[2])
        page = await self.stage.call("journal", nodeId=node)
        (entry,) = [found for found in page["records"] if found["n"] == line]
        file = self.stage.daemon.workspace / row["checkpoint"].partition(":")[2].partition("#")[0]
        written = json.loads(file.read_text().splitlines()[line - 1])
        kinds = (entry["kind"], entry["body"]["nextStep"], written["n"])
        self._note("checkpoint", kinds == ("checkpoint", PLACE["nextStep"], line))

    async def _succeed(self, first: dict[str, Any]) -> str:
        saves = {"call": "subsession_checkpoint", "args": PLACE, "wait": "told"}
        final = ({"call": "report", "args": FINAL}, {"text": "bye"})
        if self._takes_prompts:
            played = script(saves, {"text": "so far", "wait": "last"}, when={LATE_REGEX: final})
        else:
            played = script(saves, *final)
        mission = f"Do second. {played}"
        answer = await self.stage.call("succeed", childId=first["nodeId"], mission=mission)
        return str(answer["nodeId"])

    async def _in_tool(self, mark: str) -> str:
        line = f"timeout 290 sleep {self._sleep}{len(mark)}"
        return await self.stage.spawn(mark, {**self.rig.shell.step(line=line), "text": CHATTER})

    def _tool(self, mark: str) -> str:
        return f"{self._sleep}{len(mark)}"

    async def _kill(self, node: str) -> None:
        await self.stage.until_runs(self._tool("killed"))
        await self.stage.until(node, "running")
        os.kill(await self.stage.agent_pid(node), signal.SIGKILL)
        row = await self.stage.until(node, "released")
        envelope = (await self.stage.call("node", nodeId=node))["envelope"]
        self._note("killed", row["reason"] if row["reason"] != "killed-by-signal" else YES)
        assert "signal 9" in envelope["diagnostic"]
        assert not row.get("leftovers")
        within(lambda: self.stage.left_of(node, self._tool("killed")), "left of it", GONE_S)

    async def _cancel(self, node: str) -> None:
        await self.stage.until_runs(self._tool("cancelled"))
        await self.stage.until(node, "running")
        began = time.monotonic()
        await self.stage.call("cancel", nodeId=node)
        self.figures["cancelMs"] = round((time.monotonic() - began) * 1_000)
        row = await self.stage.until(node, "released")
        self._note("cancelled", (row["outcome"], row.get("leftovers")) == ("cancelled", None))
        within(lambda: self.stage.left_of(node, self._tool("cancelled")), "left of it", GONE_S)

    async def _finish(self, first: dict[str, Any], node: str) -> None:
        await self.stage.held("told")
        await self.stage.until(node, "running")
        self.figures["shimKiB"] = await asyncio.to_thread(self.stage.shim_kib)
        opening = self.stage.asked("second")[0]
        letter = (first["checkpoint"], first["nodeId"], "predecessor phase: ", BLOCKER)
        told = all(opening.holds(words) for words in letter)
        self._note("succession", told and not opening.holds(CHATTER))
        await self.stage.call("steer", nodeId=node, text=WORDS)
        self.stage.stub.release("told")
        if self._takes_prompts:
            await self.stage.held("last")
            await self.stage.call("steer", nodeId=node, text=LATE_WORDS)
            self.stage.stub.release("last")
        row = await self.stage.until(node, "released")
        self._note("final", (row["outcome"], row["author"]) == ("completed", "child"))
        last = self.stage.asked("second")[-1]
        self._note("steer", last.raw.count(WORDS.encode()) == 1)
        self._note("late", last.raw.count(LATE_WORDS.encode()) == 1)

    async def _judge_mail(self, first: dict[str, Any], *nodes: str) -> None:
        await self.stage.read_mail(6)
        killed, cancelled, second = nodes
        heads = [
            f"Background subagent {first['nodeId']} reported:\nBegun.",
            f"Background subagent {first['nodeId']} reported:\n{BLOCKED['output']}\n",
            f"The operator started {second} as the successor of your background subagent ",
            f"Background subagent {killed} settled failed (",
            f"Background subagent {cancelled} settled cancelled (cancelled-by-operator)",
            f"Background subagent {second} reported:\n{FINAL['output']}\n",
        ]
        texts = [message["text"] for message in self.stage.mail]
        right = len(texts) == len(heads) and all(map(str.startswith, texts, heads))
        small = all(len(text.encode()) <= MESSAGE_BYTES for text in texts)
        quiet = not [text for text in texts if CHATTER in text or "PLAY:" in text]
        more = not await self.stage.no_more_mail()
        self._note("inbox", right and small and quiet and not more)

    async def _tokens(self, *children: tuple[str, str]) -> str:
        found = set()
        for mark, node in children:
            row = (await self.stage.call("node", nodeId=node))["row"]
            measured, told = row["measuredTokens"], self.stage.told(mark)
            if measured is None:
                found.add("null")
            else:
                figures = [measured["input"], measured["cacheRead"] or 0, measured["output"]]
                equal = figures == [told.input, told.cache_read, told.output]
                found.add(YES if equal else f"{figures} for {told}")
        return " and ".join(sorted(found))


async def live(stage: Stage, rig: Rig) -> Course:
    """Lead an agent through it."""
    course = Course(stage, rig)
    await course.run()
    return course
