"""A Claude Code that tells what a test says."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from subsessiond.model.commands import ConfirmStart
from tests.support.claudeturns import Play
from tests.support.stage import Stage


@pytest.fixture
async def node_id(here: Stage) -> Any:
    """A running worker."""
    admitted = await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=admitted, **here.voice.now()))
    return admitted


@pytest.fixture
async def play(here: Stage, node_id: Any) -> AsyncIterator[Play]:
    """Its turns; what is left of them is ended."""
    made = Play(here, node_id)
    yield made
    made.turns.close()
    made.living.cancel()
    await asyncio.wait((made.living,))
    await made.control.close()
