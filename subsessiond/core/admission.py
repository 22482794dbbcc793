"""The record of a child that passed every check."""

from typing import Final

from msgspec.structs import replace

from subsessiond.core.attach import EXTERNAL
from subsessiond.core.case import SpawnCase
from subsessiond.core.concurrency import next_pace_ms
from subsessiond.core.draft import Draft
from subsessiond.core.letter import cuts_answer, letter_of
from subsessiond.core.mail import put_back
from subsessiond.core.ownership import WARNINGS, overlaps
from subsessiond.core.words import frame_succeeded, title_of
from subsessiond.model.decision import Admitted
from subsessiond.model.events import MailForwarded, NodeAdmitted
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Node, Status
from subsessiond.model.role import AgentProfile, ToolClass

WRITING: Final = frozenset((ToolClass.EDIT, ToolClass.DELETE, ToolClass.EXECUTE))
"""The tool classes that can change a file."""

ONE_RUN: Final = "jsonl"
"""The runner of agents to which nothing can be said while they run."""


def would_admit(case: SpawnCase) -> Admitted:
    """Answer a spawn that only asks: every check passed and nothing was started."""
    return Admitted(
        node_id=case.command.new_id,
        state=Status.CLAIMED,
        claimed_at=case.command.at_ms,
        warnings=_warnings(case),
        would_admit=True,
    )


def admit(draft: Draft, case: SpawnCase) -> Admitted:
    """Reserve slot, tokens and claim for the child; its start is an effect of this."""
    record = record_of(case)
    draft.add(
        NodeAdmitted,
        record.node_id,
        record=record,
        fingerprint=case.command.fingerprint,
        pace_ms=next_pace_ms(case),
    )
    if case.predecessor is not None:
        _pass_on(draft, case, case.predecessor)
    return Admitted(
        node_id=record.node_id,
        state=Status.CLAIMED,
        claimed_at=record.claimed_at_ms,
        warnings=_warnings(case),
    )


def record_of(case: SpawnCase) -> Node:
    """Make the child's record: everything in it is derived or was checked."""
    command, parent, before = case.command, case.parent, case.predecessor
    brief, role = command.brief, case.role
    assert brief is not None
    assert role is not None
    assert case.agent is not None
    if role.preface or brief.preface:
        # Why moved: a brief is kept once, and what stands in a node is written with each change.
        brief, role = replace(brief, preface=role.preface), replace(role, preface="")
    return Node(
        node_id=command.new_id,
        parent=parent.node_id,
        root=parent.root,
        workspace=parent.workspace,
        status=Status.CLAIMED,
        title=brief.title or title_of(brief.mission),
        depth=case.depth,
        token_cap=case.token_cap,
        claimed_at_ms=command.at_ms,
        claimed_awake_ms=command.awake_ms,
        sign_awake_ms=command.awake_ms,
        role=role,
        agent=case.agent.name,
        runner=case.agent.runner,
        brief=brief,
        owns=command.paths.owns,
        overlaps=tuple(NodeId(owner) for owner in overlaps(case)),
        grant=case.grant,
        max_report_tokens=case.max_report_tokens,
        required_sections=case.required_sections,
        key=command.key,
        argv=command.argv,
        predecessor=before.node_id if before else None,
        generation=before.generation + 1 if before else 1,
        letter=letter_of(before, case.grant, case.answer) if before else "",
    )


def _warnings(case: SpawnCase) -> tuple[str, ...]:
    owners = overlaps(case)
    met = tuple(f"shares files with {owner}, as allowed" for owner in owners[:WARNINGS])
    if len(owners) > WARNINGS:
        met = (*met, f"and with {len(owners) - WARNINGS} more")
    return (*met, *_cautions(case))


def _cautions(case: SpawnCase) -> tuple[str, ...]:
    """Say what the child will not get, or not at once."""
    before, brief = case.predecessor, case.command.brief
    cautions: list[str] = []
    if before is not None and before.leftovers:
        released = f"the operator has released {before.node_id}, which left processes"
        cautions.append(f"starts after {released}")
    role = case.role_or_defaults
    if case.command.paths.owns and not WRITING.intersection((*role.tools, *case.grant.tools)):
        cautions.append(f"role {role.name} writes nothing: what it owns is only kept from others")
    if (brief.verify if brief else None) or role.verify:
        cautions.append(
            "verify is recorded; this version runs no checks, and the record stays unchecked"
        )
    if before is not None and cuts_answer(letter_of(before, case.grant, case.answer), case.answer):
        cautions.append("the letter has no room for all of the answer: its end was cut")
    return (*cautions, *_shortfalls(case))


def _shortfalls(case: SpawnCase) -> tuple[str, ...]:
    """Say what cannot be held or done with an agent that runs by itself."""
    agent = case.agent
    if agent is not None and agent.runner == EXTERNAL:
        return (*_waits(case), *_unheld(case, agent))
    if agent is None or agent.runner != ONE_RUN:
        return ()
    found = [*_unheld(case, agent)]
    if case.depth and not agent.resume:
        found.append(f"agent {agent.name} is one run: it has to wait for its children itself")
    return tuple(found)


def _waits(case: SpawnCase) -> tuple[str, ...]:
    name = "NODE" if case.command.check_only else case.command.new_id
    command = f"subsession attach {name} -- CMD"
    return (f"it waits to be attached by a person, in a terminal of her own: {command}",)


def _unheld(case: SpawnCase, agent: AgentProfile) -> tuple[str, ...]:
    if not case.command.paths.owns:
        return ()
    if agent.holds_folders:
        kept = "its sandbox keeps it to the folders of its files, not to the files alone"
        return (f"agent {agent.name} writes by itself: {kept}",)
    return (f"agent {agent.name} writes by itself: nothing keeps it to its files",)


def _pass_on(draft: Draft, case: SpawnCase, before: Node) -> None:
    """Give the predecessor's unread mail to its successor, and tell the parent who was hired."""
    if draft.tree.mail.get(before.node_id):
        put_back(draft, before.node_id)
        draft.add(MailForwarded, before.node_id, to=case.command.new_id)
    if case.command.caller.node_id != case.parent.node_id:
        notice = Message(
            message_id=draft.next_message(before.node_id),
            recipient=case.parent.node_id,
            sender=before.node_id,
            source=Source.NOTICE,
            text=frame_succeeded(before.node_id, case.command.new_id),
        )
        draft.stage(before.node_id, notice)
