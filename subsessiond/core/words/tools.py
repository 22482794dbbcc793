"""The tools as a model is shown them: what each is for, and what each of its parameters means.

Which parameters there are is `rpc.mcp`; a test holds the two together.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.model.base import Value


class ToolWords(Value, frozen=True, kw_only=True):
    """What is said of one tool."""

    text: str
    fields: tuple[tuple[str, str], ...]
    """Each parameter with its sentence."""

    def of(self, field: str) -> str:
        """Give the sentence of one parameter."""
        return next(said for name, said in self.fields if name == field)


_KEY = "Any word of yours. After a failed call, repeat it with the same key: nothing happens twice."
_WAIT = "Milliseconds to wait, at most 50000"

REPORT = ToolWords(
    text=(
        "Report to the agent that started you; nobody else reads it. Call it once, with stage "
        "final, before you finish; earlier with stage finding when a result changes what that "
        "agent should do next. Reporting does not end your turn. A call that failed may have "
        "arrived all the same."
    ),
    fields=(
        ("output", "The report in words, complete in itself: its reader sees nothing else of you."),
        (
            "stage",
            "progress: a sign of life; finding: a result that matters now; final: the last report.",
        ),
        ("outcome", "Only with stage final, and needed there."),
        ("blockers", "What keeps you from finishing, one entry each. Needed with outcome blocked."),
        ("openQuestions", "What only somebody else can answer."),
        ("files", "Paths of the files the report speaks of."),
        ("sections", 'Sections you were asked for, one entry each, written "name: text".'),
        ("structured", "The result as JSON text, if you were asked for data."),
        ("endChildren", "With a completed final: end the subagents of yours that still run."),
        ("idempotencyKey", _KEY),
    ),
)

CHECKPOINT = ToolWords(
    text=(
        "Write down where you stand, so that somebody else could go on from there. Do it after "
        "each larger step. It is kept on disk and costs the agent that started you nothing."
    ),
    fields=(
        ("phase", "What you are doing, in a few words."),
        ("state", "What is done, and what is true now."),
        ("nextStep", "What whoever goes on should do first."),
        ("decisions", "What was decided and why, one entry each."),
        ("files", "Paths that matter for going on."),
    ),
)

SPAWN = ToolWords(
    text=(
        "Start a subagent on a piece of work. It works on its own, in the background, and reports "
        "to you; read its reports with subsession_inbox. You will see its reports and nothing "
        "else. The answer says that it was admitted, not that it is done."
    ),
    fields=(
        ("role", "What kind of subagent."),
        ("mission", "The whole task: it knows nothing of your conversation."),
        ("title", "One short line for people."),
        ("ownedGlobs", "Files it alone may write, as patterns such as src/app/**. None: it reads."),
        ("context", "Paths or addresses it should read first."),
        ("tokenCap", "Tokens for it and all below it, taken from yours. Left out: the role's."),
        ("depthAllowance", "How many levels of subagents it may start."),
        ("requiredSections", "Names of sections its final report must have."),
        ("maxReportTokens", "Size of its reports, 50 to 8000. Left out: the role's, often 600."),
        ("outputSchema", "A JSON schema, as JSON text, for the data its final report must carry."),
        ("deadlineMs", "Milliseconds after which it is ended."),
        ("continues", "Id of a settled subagent of yours whose work it takes over."),
        ("allowOverlap", "Whether it may own files that others own."),
        ("idempotencyKey", _KEY),
        ("waitMs", f"{_WAIT} for it to be running."),
        ("checkOnly", "Only tell whether it would be admitted."),
    ),
)

SUCCEED = ToolWords(
    text=(
        "Start a fresh subagent that goes on where a settled one of yours stopped. It gets the "
        "same task and a short letter, not the transcript."
    ),
    fields=(
        ("childId", "Id of the settled subagent."),
        ("role", "Another role than before."),
        ("mission", "Another task than before."),
        ("tokenCap", "Another token cap than before."),
        ("idempotencyKey", _KEY),
        ("waitMs", f"{_WAIT} for it to be running."),
    ),
)

INBOX = ToolWords(
    text=(
        "Read what your subagents reported. The same messages come again until you acknowledge "
        "them. To wait for a report, give waitMs and call again for as long as you need."
    ),
    fields=(
        ("acknowledge", "true says that you have read all that was shown to you before."),
        ("waitMs", f"{_WAIT} for news."),
        ("maxTokens", "Size of the answer, at most 8000 tokens."),
    ),
)

STEER = ToolWords(
    text=(
        "Say something to a running subagent of yours. It reads it at its next step or at the end "
        "of its turn; accepted does not mean read."
    ),
    fields=(
        ("nodeId", "Id of the subagent."),
        ("text", "What to say, at most 2000 tokens."),
    ),
)

CANCEL = ToolWords(
    text="Stop a subagent of yours and everything below it. What it saved stays on disk.",
    fields=(
        ("nodeId", "Id of the subagent."),
        ("waitMs", f"{_WAIT} for it to be gone."),
    ),
)

TREE = ToolWords(
    text="List your own subagents and how they stand, one short row each.",
    fields=(
        ("after", "The next of the answer before, to go on with that list."),
        ("limit", "Rows, at most 25."),
        ("sinceSeq", "The seq of an earlier answer: only what has changed since."),
        ("waitMs", f"{_WAIT} for a change; with sinceSeq."),
    ),
)

NODE = ToolWords(
    text="Show one subagent of yours: how it stands, how it ended, and its newest report again.",
    fields=(("nodeId", "Id of the subagent."),),
)

TOOL_WORDS: Final[Mapping[str, ToolWords]] = MappingProxyType(
    {
        "report": REPORT,
        "subsession_checkpoint": CHECKPOINT,
        "subsession_spawn": SPAWN,
        "subsession_succeed": SUCCEED,
        "subsession_inbox": INBOX,
        "subsession_steer": STEER,
        "subsession_cancel": CANCEL,
        "subsession_tree": TREE,
        "subsession_node": NODE,
    }
)
"""Every tool by its name."""

ROOT_INSTRUCTIONS = (
    "These tools start subagents that work in the background on this machine. Give each a whole "
    "task and the files it may write, and go on: the answers of these tools say when a report has "
    "come. Read it, or wait for one, with subsession_inbox. When one ends blocked, tell the person "
    "what it names: only they can decide it. You pay for reports, not for transcripts."
)

NOBODY_INSTRUCTIONS = (
    "this process belongs to no session of the daemon; a person opens one with subsession open"
)
