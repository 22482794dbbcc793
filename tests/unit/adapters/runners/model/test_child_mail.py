"""Mail of a child whose agent is the loop: it is read once its model has answered."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.commands import ConfirmStart
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message, MessageState
from tests.support.looped import final
from tests.support.looptable import LoopTable, table
from tests.support.mailing import put_mail
from tests.support.stage import Stage


@pytest.fixture
async def at(here: Stage, processes: LinuxProcesses) -> AsyncIterator[LoopTable]:
    """A table."""
    async with table(here, processes) as made:
        yield made


async def left(at: LoopTable, answer: dict[str, Any]) -> tuple[Message, ...]:
    """Let a child read its mail, and its model answer; gives what is still in its mailbox."""
    child = await at.child({"text": "I wait."}, when={"^7$": [answer]})
    running = asyncio.ensure_future(child.run())
    await at.stub.wait_until(lambda stub: len(stub.requests) == 1)
    node: NodeId = at.here.told(ConfirmStart)[0].node
    put_mail(at.here, node, "7")
    child.wake()
    await running
    await at.here.settled_queue()
    return at.here.registry.tree.mail.get(node, ())


async def test_mail_is_read_once_its_model_has_answered(at: LoopTable) -> None:
    """Then it is gone from the mailbox."""
    assert await left(at, final()) == ()


async def test_mail_stays_where_no_answer_came(at: LoopTable) -> None:
    """It was handed over, and whoever takes over is shown it again."""
    (message,) = await left(at, {"error": 401})
    assert message.state is MessageState.DELIVERED
