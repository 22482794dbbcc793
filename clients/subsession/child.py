"""For a child's own process: say what you found, and write down where you stand.

Socket and token come from the environment the daemon gave. A report is sent with a key, so that a
broken connection is answered by sending it once more: the daemon takes it once.

    from subsession import child
    child.report("12 files read, 2 bugs: src/a.py:10, src/b.py:7", stage="final",
                 outcome="completed")
"""

import secrets
from functools import partial

from subsession.client import Client
from subsession.errors import Unanswered
from subsession.verbs import Json


def report(  # noqa: PLR0913 -- as many as the method has
    output: str,
    *,
    stage: str | None = None,
    outcome: str | None = None,
    sections: dict[str, str] | None = None,
    structured: object = None,
    blockers: list[str] | None = None,
    open_questions: list[str] | None = None,
    files: list[str] | None = None,
    end_children: bool | None = None,
    idempotency_key: str | None = None,
    client: Client | None = None,
) -> Json:
    """Report to the agent that started this process.

    Args:
        output: self-contained text; within the contract's limit.
        stage: `progress`, `finding` or `final`; absent: progress.
        outcome: of a final: `completed`, `blocked` or `failed`.
        sections: parts the brief asked for, by name.
        structured: what the brief's schema describes.
        blockers: of a blocked final: what stands in the way.
        open_questions: what only somebody else can answer.
        files: paths that matter.
        end_children: with a completed final: end children that are still live.
        idempotency_key: your own key; absent: a fresh one.
        client: how to reach the daemon; absent: as the environment says. It is closed afterwards.

    Returns:
        `{messageId, text, already}`.

    Raises:
        SubsessionError: as `Client.call`.
    """
    with client or Client() as daemon:
        send = partial(
            daemon.report,
            output,
            stage=stage,
            outcome=outcome,
            sections=sections,
            structured=structured,
            blockers=blockers,
            open_questions=open_questions,
            files=files,
            end_children=end_children,
            idempotency_key=idempotency_key or secrets.token_hex(12),
        )
        try:
            return send()
        except Unanswered:  # it may have arrived: the key makes once more safe
            return send()


def checkpoint(
    phase: str,
    state: str,
    next_step: str,
    *,
    decisions: list[str] | None = None,
    files: list[str] | None = None,
    client: Client | None = None,
) -> Json:
    """Write down where this child stands, for whoever continues its work.

    Returns:
        `{pointer, line}`.

    Raises:
        SubsessionError: as `Client.call`.
    """
    with client or Client() as daemon:
        return daemon.checkpoint(phase, state, next_step, decisions=decisions, files=files)
