"""The verbs of the playbook: each makes one command, with what a test leaves open filled in.

Who calls is the label `by`; `OPERATOR` is the person in some process of hers, `PERSON` the person
at a terminal of her own. Unless said otherwise a node's parent calls, or the node itself.
"""

from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from subsessiond.core.bounds import size_bytes
from subsessiond.core.words import report_line
from subsessiond.model.brief import FieldFault, Grant
from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.commands import (
    Acknowledge,
    Caller,
    Cancel,
    CloseRoot,
    Command,
    Dismiss,
    OpenRoot,
    Release,
    SaveCheckpoint,
    Spawn,
    Steer,
    SubmitReport,
    Succeed,
)
from subsessiond.model.ids import MessageId
from subsessiond.model.projectrole import ProjectRole
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.ports import Stamps
from tests.support.playbook import Play, Step
from tests.support.policies import brief, planned, wrong

OPERATOR: Final = "operator"
PERSON: Final = "person"


def caller(now: Play, by: str) -> Caller:
    """Make the caller a label stands for."""
    if by in (OPERATOR, PERSON):
        return Caller(may_grant=by == PERSON)
    return Caller(node_id=now.id(by))


def stamps(now: Play) -> Stamps:
    """Give the stamps of a command."""
    return {"at_ms": now.at_ms, "awake_ms": now.awake_ms}


def _naming(label: str, make: Any) -> Step:
    """Give a label its id, decide, and take the id away again from who was refused."""

    def step(now: Play) -> Play:
        named = now.naming(label) if label not in now.names else now
        return named.decide(make(named))

    return step


def open_root(label: str = "root", *, by: str = OPERATOR, **fields: Any) -> Step:
    """Open a root."""

    def make(now: Play) -> Command:
        fields.setdefault("workspace", "/project")
        return OpenRoot(caller=caller(now, by), new_id=now.id(label), **stamps(now), **fields)

    return _naming(label, make)


def resume(label: str, *, by: str = OPERATOR, **fields: Any) -> Step:
    """Come back to a root."""

    def step(now: Play) -> Command:
        new = now.naming("nobody").id("nobody")
        return OpenRoot(
            caller=caller(now, by),
            new_id=new,
            workspace="/project",
            resume=now.id(label),
            **stamps(now),
            **fields,
        )

    return step


def spawn(
    label: str,
    *,
    under: str = "root",
    by: str | None = None,
    role: str = "worker",
    owns: str | tuple[str, ...] = (),
    key: str | None = None,
    allow_overlap: bool = False,
    check_only: bool = False,
    argv: tuple[str, ...] = (),
    faults: tuple[str, ...] = (),
    path_faults: tuple[str, ...] = (),
    spelled: tuple[str, ...] = (),
    continues: str | None = None,
    fingerprint: str | None = None,
    project: ProjectRole | None = None,
    **fields: Any,
) -> Step:
    """Spawn a child; further fields go into its brief."""
    paths = planned(owns, spelled, path_faults, project)

    def make(now: Play) -> Command:
        order = brief(paths.owns, continues=now.id(continues) if continues else None, **fields)
        return Spawn(
            caller=caller(now, under if by is None else by),
            new_id=now.id(label),
            parent=now.id(under),
            role=project.name if project else role,
            brief=None if faults else order,
            brief_faults=wrong(faults),
            paths=paths,
            fingerprint=fingerprint or f"{role} {order}",
            key=key,
            allow_overlap=allow_overlap,
            check_only=check_only,
            argv=argv,
            **stamps(now),
        )

    return _naming(label, make)


def succeed(
    label: str,
    of: str,
    *,
    by: str = "root",
    owns: tuple[str, ...] = (),
    spelled: tuple[str, ...] = (),
    faults: tuple[str, ...] = (),
    grant: Grant | None = None,
    **fields: Any,
) -> Step:
    """Hire a successor; `owns` are the normal forms stamped at the edge."""

    def make(now: Play) -> Command:
        fields.setdefault("fingerprint", f"succeed {of}")
        return Succeed(
            caller=caller(now, by),
            new_id=now.id(label),
            predecessor=now.id(of),
            paths=planned(owns, spelled, (), None),
            faults=wrong(faults),
            grant=grant if grant is not None else Grant(),
            **stamps(now),
            **fields,
        )

    return _naming(label, make)


def report(
    label: str,
    output: str = "Here it is.",
    *,
    by: str | None = None,
    stage: Stage | None = None,
    schema_fault: str | None = None,
    **fields: Any,
) -> Step:
    """A child reports; without a stage it is progress that may be promoted."""
    text = Report(
        stage=stage or Stage.PROGRESS, explicit=stage is not None, output=output, **fields
    )

    def step(now: Play) -> Command:
        return SubmitReport(
            caller=caller(now, by or label),
            node=now.id(label),
            report=text,
            fingerprint=sha256(repr(replace(text, key=None)).encode()).hexdigest(),
            size_bytes=size_bytes(text.output) + size_bytes(report_line(text)),
            schema_fault=schema_fault,
            **stamps(now),
        )

    return step


def malformed(label: str, size: int = 10, *, is_final: bool = False) -> Step:
    """A child sends something without the shape of a report."""

    def step(now: Play) -> Command:
        faults = (FieldFault(path="output", problem="is missing"),)
        shape = MalformedReport(size_bytes=size, faults=faults, is_final=is_final)
        return SubmitReport(
            caller=caller(now, label),
            node=now.id(label),
            report=shape,
            fingerprint="",
            size_bytes=size,
            **stamps(now),
        )

    return step


def progress(label: str, output: str = "On my way.", **fields: Any) -> Step:
    """A child gives a sign of life in words."""
    return report(label, output, stage=Stage.PROGRESS, **fields)


def finding(label: str, output: str = "Look here.", **fields: Any) -> Step:
    """A child reports a partial result."""
    return report(label, output, stage=Stage.FINDING, **fields)


def final(
    label: str, output: str = "Done.", outcome: Outcome = Outcome.COMPLETED, **fields: Any
) -> Step:
    """A child reports for the last time."""
    return report(label, output, stage=Stage.FINAL, outcome=outcome, **fields)


def blocked(label: str, output: str = "Stuck.", **fields: Any) -> Step:
    """A child reports that it cannot go on."""
    fields.setdefault("blockers", ("question: which one?",))
    return final(label, output, Outcome.BLOCKED, **fields)


def checkpoint(
    label: str,
    phase: str = "half",
    next_step: str = "the rest",
    *,
    by: str | None = None,
    size: int = 100,
    faults: tuple[str, ...] = (),
) -> Step:
    """A child writes down where it stands."""

    def step(now: Play) -> Command:
        record = Checkpoint(phase=phase, state="so far", next_step=next_step)
        return SaveCheckpoint(
            caller=caller(now, by or label),
            node=now.id(label),
            checkpoint=None if faults else record,
            size_bytes=size,
            faults=wrong(faults),
            **stamps(now),
        )

    return step


def steer(label: str, text: str = "Hurry.", *, by: str = "root") -> Step:
    """Somebody says something to a child."""
    return lambda now: Steer(caller=caller(now, by), node=now.id(label), text=text, **stamps(now))


def cancel(label: str, *, by: str = "root") -> Step:
    """Somebody stops a subtree."""
    return lambda now: Cancel(caller=caller(now, by), node=now.id(label), **stamps(now))


def close(label: str = "root", *, by: str = OPERATOR) -> Step:
    """Somebody ends a root."""
    return lambda now: CloseRoot(caller=caller(now, by), node=now.id(label), **stamps(now))


def dismiss(label: str, *, by: str = OPERATOR) -> Step:
    """Somebody takes a row out of the queue."""
    return lambda now: Dismiss(caller=caller(now, by), node=now.id(label), **stamps(now))


def release(label: str, *, by: str = PERSON) -> Step:
    """Somebody frees a claim."""
    return lambda now: Release(caller=caller(now, by), node=now.id(label), **stamps(now))


def acknowledge(label: str, *ids: MessageId, by: str | None = None) -> Step:
    """A reader has read these messages, or all it has."""

    def step(now: Play) -> Command:
        box = now.tree.mail.get(now.id(label), ())
        return Acknowledge(
            caller=caller(now, by or label),
            node=now.id(label),
            message_ids=ids or tuple(message.message_id for message in box),
            **stamps(now),
        )

    return step
