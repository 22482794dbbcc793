"""What can go wrong between a client and the daemon, each with a person's sentence.

Owns the exceptions of the client and what to do next for every refusal. It knows neither sockets
nor the terminal; texts are made safe by whoever prints them.
"""

from typing import Any, NamedTuple


class SubsessionError(Exception):
    """Something went wrong; the text is a sentence for a person."""


class Unreachable(SubsessionError):
    """No daemon answered; nothing was sent.

    Args:
        why: what was met.
        socket: path that was tried.
    """

    def __init__(self, why: str, socket: str) -> None:
        super().__init__(why, socket)
        self.why = why
        self.socket = socket

    def __str__(self) -> str:
        """One sentence."""
        return f"no daemon answers at {self.socket}: {self.why}"


class StartFailed(SubsessionError):
    """The daemon was started and did not come up.

    Args:
        why: what was met.
        log: path of its log.
        lines: the log's last lines, as written.
    """

    def __init__(self, why: str, log: str, lines: tuple[str, ...]) -> None:
        super().__init__(why, log, lines)
        self.why = why
        self.log = log
        self.lines = lines

    def __str__(self) -> str:
        """A sentence and the last lines of the log."""
        tail = "".join(f"\n  {line}" for line in self.lines) or "\n  (nothing)"
        return f"the daemon did not come up: {self.why}; its log {self.log} ends with:{tail}"


class Unanswered(SubsessionError):
    """The connection broke after the call was sent: it may have arrived.

    Args:
        method: the method that was called.
        why: what was met.
    """

    def __init__(self, method: str, why: str) -> None:
        super().__init__(method, why)
        self.method = method
        self.why = why

    def __str__(self) -> str:
        """One sentence."""
        return (
            f"the daemon went away while it answered {self.method} ({self.why}); "
            "the call may have arrived, look before you repeat it"
        )


class ProtocolMismatch(SubsessionError):
    """Client and daemon speak different versions of the protocol.

    Args:
        client: protocol version of this client.
        daemon: protocol version the daemon names.
        daemon_version: version of the daemon's program.
    """

    def __init__(self, client: int, daemon: object, daemon_version: object) -> None:
        super().__init__(client, daemon, daemon_version)
        self.client = client
        self.daemon = daemon
        self.daemon_version = daemon_version

    def __str__(self) -> str:
        """One sentence."""
        return (
            f"this client speaks protocol {self.client}, the running daemon "
            f"(version {self.daemon_version}) speaks protocol {self.daemon}: "
            "stop it with the client it was started by, then start the one you want"
        )


class BadAnswer(SubsessionError):
    """What answered is no subsessiond, or is broken."""


class Misused(SubsessionError):
    """The daemon could not take the call: something in it, or in what it reads, is wrong.

    Args:
        number: JSON-RPC code.
        message: the daemon's words.
        fields: (path, problem) of each bad field.
    """

    def __init__(self, number: int, message: str, fields: tuple[tuple[str, str], ...]) -> None:
        super().__init__(number, message, fields)
        self.number = number
        self.message = message
        self.fields = fields

    def __str__(self) -> str:
        """One sentence and a line a field."""
        return f"the daemon could not take the call: {self.message} ({self.number})" + "".join(
            f"\n  {path}: {problem}" for path, problem in self.fields
        )


class Broken(SubsessionError):
    """The daemon met a bug of its own.

    Args:
        incident: id under which its log tells the story.
    """

    def __init__(self, incident: str) -> None:
        super().__init__(incident)
        self.incident = incident

    def __str__(self) -> str:
        """One sentence."""
        return (
            "the daemon met a bug and changed nothing; "
            f"its log tells more under incident {self.incident or '(none given)'}"
        )


class Refusal(NamedTuple):
    """The data of one refusal."""

    code: str
    """Canonical code, such as `SCOPE_OVERLAP`."""
    number: int
    message: str
    """The daemon's sentence."""
    step: str = ""
    retryable: bool = False
    fields: tuple[tuple[str, str], ...] = ()
    """(path, problem) of each bad field."""
    limit: int | None = None
    actual: int | None = None
    sibling: str | None = None
    paths: tuple[str, ...] = ()
    retry_after_ms: int | None = None


class Refused(SubsessionError):
    """The daemon understood and refused; nothing changed.

    Args:
        refusal: what was refused, by which step, and what was met.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        """What happened, to what, and what to do next."""
        return sentence(self.refusal)


def sentence(refusal: Refusal) -> str:
    """Say a refusal to a person: what happened, to what, what next; one line each."""
    lines = [f"{refusal.message.rstrip('.')}. [{refusal.code} {refusal.number}]"]
    lines += [f"  {path}: {problem}" for path, problem in refusal.fields]
    facts = _facts(refusal)
    if facts:
        lines.append("  " + ", ".join(facts))
    advice = _advice(refusal)
    if advice:
        lines.append("  " + advice.format(node=refusal.sibling or "NODE"))
    return "\n".join(lines)


def _advice(refusal: Refusal) -> str | None:
    """Say what to do next."""
    return STEP_ADVICE.get(f"{refusal.code} {refusal.step}") or ADVICE.get(refusal.code)


def _facts(refusal: Refusal) -> list[str]:
    """List what was met, in words."""
    facts = []
    if refusal.limit is not None:
        facts.append(f"limit {refusal.limit:,}")
    if refusal.actual is not None:
        facts.append(f"met {refusal.actual:,}")
    if refusal.sibling:
        facts.append(f"node {refusal.sibling}")
    if refusal.paths:
        facts.append("at " + " ".join(refusal.paths))
    if refusal.retry_after_ms is not None:
        facts.append(f"try again in {refusal.retry_after_ms / 1_000:g} s")
    return facts


ADVICE = {
    "BRIEF_INVALID": "Correct the fields named above and spawn again.",
    "ROLE_UNKNOWN": "`subsession status` lists the roles; name one of them with --role. What was "
    "added to roles.toml since the start is read by `subsession reload`.",
    "ROLE_UNSAFE": "Choose another role, or change the role or its agent in the configuration "
    "(`subsessiond check-config` says where). A command is run by `subsession run -- CMD`.",
    "DEPTH_EXCEEDED": "Ask for less with --depth, or let a node nearer to the root spawn it.",
    "TOOL_FILTER_REFUSED": "Choose a role with fewer tool classes.",
    "SCOPE_OVERLAP": "Wait until it is released (`subsession wait {node}`), own other files "
    "(--own), or accept the overlap (--allow-overlap).",
    "TREE_BUDGET_EXCEEDED": "Ask for less with --token-cap, or wait until a sibling has settled.",
    "CONCURRENCY_EXCEEDED": "Nothing queues: wait until one has settled and spawn again.",
    "START_FAILED": "`subsession show {node}` has what the agent said; mend it and spawn again.",
    "PARENT_NOT_LIVE": "Spawn below a live node; `subsession tree` shows which are.",
    "KEY_CONFLICT": "Use another --key for another brief.",
    "SUBTREE_STOPPING": "Spawn below a node that is not being stopped.",
    "SCOPE_OUTSIDE_PARENT": "Own only files inside what the parent owns, or let the root spawn it.",
    "REPORT_TOO_LARGE": "Write the long part into a file you own and report its path.",
    "REPORT_INVALID": "Correct the fields named above and report again.",
    "REPORT_CONTRACT": "Add the required sections and report again.",
    "OUTPUT_SCHEMA": "Correct the structured part and report again.",
    "NODE_SETTLED": "Its first final stands; `subsession show {node}` tells it.",
    "REPORT_UNDELIVERABLE": "Nobody is left to read it; it can go on by `subsession succeed`.",
    "CHILDREN_LIVE": "Wait for them, cancel them, or end them with --end-children.",
    "MESSAGE_TOO_LARGE": "Say it in fewer words, or name a file.",
    "NODE_NOT_LIVE": "`subsession tree` shows which nodes are live; `subsession succeed` goes on.",
    "CHECKPOINT_TOO_LARGE": "Write the long part into a file you own and name it.",
    "CHECKPOINT_INVALID": "Correct the fields named above and save again.",
    "ALREADY_ATTACHED": "`subsession show {node}` tells which process it is.",
    "PREDECESSOR_LIVE": "Wait until it has settled (`subsession wait {node}`) or cancel it first.",
    "ALREADY_SUCCEEDED": "Go on with its successor: `subsession show {node}`.",
    "GENERATIONS_EXCEEDED": "Look at why the mission keeps failing, then spawn it anew.",
    "NOT_FOUND": "`subsession tree` shows the nodes there are.",
    "NOT_ALLOWED": "A person can do this from a terminal of their own.",
    "BUSY": "Nothing changed; the same call is safe a little later.",
    "STORE_UNAVAILABLE": "Look at the disk and at the daemon's log; nothing changed.",
}
"""What to do next, by canonical code. `{node}` becomes the other node concerned."""


STEP_ADVICE = {
    "NODE_NOT_LIVE resume": "`subsession open` without --resume begins another root.",
    "NOT_ALLOWED agent": "Wait until it has settled, or cancel it; `subsession succeed` goes on.",
    "NOT_ALLOWED leftovers": "`subsession blocked` lists what is still there of settled nodes.",
    "NOT_ALLOWED node": "A child does this from its own processes, where its token is.",
    "NOT_ALLOWED passphrase": "Type it at a terminal, or give it with --passphrase-stdin. Who has "
    "lost it makes another with `subsessiond passphrase`.",
}
"""What else to do next where one step of a code refuses for a reason of its own."""


def from_error(error: dict[str, Any]) -> SubsessionError:
    """Turn the error object of a reply into the exception that says it.

    Args:
        error: `{code, message, data?}` as received.
    """
    raw = error.get("data")
    data: dict[str, Any] = raw if isinstance(raw, dict) else {}
    number, message = error.get("code", 0), str(error.get("message", ""))
    fields = tuple(
        (str(item.get("path", "")), str(item.get("problem", "")))
        for item in data.get("fields", ())
        if isinstance(item, dict)
    )
    if number == -32603:  # noqa: PLR2004 -- JSON-RPC: internal error
        return Broken(str(data.get("incident", "")))
    if not data.get("code"):
        return Misused(number, message, fields)
    return Refused(
        Refusal(
            code=str(data["code"]),
            number=number,
            message=message,
            step=str(data.get("step", "")),
            retryable=bool(data.get("retryable", False)),
            fields=fields,
            limit=data.get("limit"),
            actual=data.get("actual"),
            sibling=data.get("sibling"),
            paths=tuple(map(str, data.get("paths", ()))),
            retry_after_ms=data.get("retryAfterMs"),
        )
    )
