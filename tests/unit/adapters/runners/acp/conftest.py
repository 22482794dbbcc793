"""Agents that play turns as a test says, with and without taking words in while they work."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from subsessiond.model.commands import ConfirmStart
from tests.support.acpturns import Play
from tests.support.stage import Stage


@pytest.fixture
async def node_id(here: Stage) -> Any:
    """A running worker."""
    admitted = await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=admitted, **here.voice.now()))
    return admitted


@pytest.fixture
async def play(here: Stage, node_id: Any) -> AsyncIterator[Play]:
    """An agent that takes in nothing while a turn runs."""
    async for made in playing(Play(here, node_id, merges=False)):
        yield made


@pytest.fixture
async def merging(here: Stage, node_id: Any) -> AsyncIterator[Play]:
    """An agent that takes in what is said while a turn runs."""
    async for made in playing(Play(here, node_id, merges=True)):
        yield made


async def playing(made: Play) -> AsyncIterator[Play]:
    """Give it out, and end what is left of it."""
    yield made
    made.turns.close()
    made.living.cancel()
    await asyncio.wait((made.living,))
    await made.connection.close()
