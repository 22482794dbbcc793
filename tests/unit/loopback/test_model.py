"""`subsessiond.loopback.model`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession, web

from subsessiond.loopback.model import DONE, NOT_OFFERED, PLAIN, REPORT, Heard, answer, make_model
from subsessiond.loopback.offer import Offer
from subsessiond.loopback.reply import Asked, Said

OURS = Offer("mcp__subsession__report")
OTHER = Offer("read_file")


def asked(*said: Said, offers: tuple[Offer, ...] = (), schema: Any = None) -> Asked:
    """Give a request."""
    return Asked(said or (Said("user", "Report."),), offers, schema)


def test_it_reports_as_soon_as_it_can() -> None:
    """Whatever the agent calls the tool."""
    said = answer(asked(offers=(OTHER, OURS)))
    assert [(call.offer, call.args) for call in said.calls] == [(OURS, REPORT)]


def test_it_reports_once() -> None:
    """After the tool has answered, its turn ends."""
    said = answer(asked(Said("user", "x"), Said("tool", "accepted"), offers=(OURS,)))
    assert (said.text, said.calls) == (DONE, ())


def test_without_the_tool_it_says_so() -> None:
    """It calls nothing else."""
    assert answer(asked(offers=(OTHER,))) == (NOT_OFFERED, ())


def test_side_questions_get_what_fits() -> None:
    """Text, or the smallest value of a schema."""
    assert answer(asked()).text == PLAIN
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert answer(asked(schema=schema)).text == '{"a":1}'


@asynccontextmanager
async def served() -> AsyncIterator[tuple[ClientSession, str, list[Heard]]]:
    """Serve the model on a free port; gives a client, its address and what it heard."""
    heard: list[Heard] = []
    runner = web.AppRunner(make_model(heard.append), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        async with ClientSession() as session:
            yield session, f"http://{host}:{port}", heard
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("stream", [True, False])
async def test_what_was_offered_is_told(*, stream: bool) -> None:
    """With the API in which it was asked, before the answer goes out."""
    async with served() as (session, url, heard):
        body = {
            "model": "m",
            "stream": stream,
            "messages": [{"role": "user", "content": "Report."}],
            "tools": [{"name": "report"}],
        }
        async with session.post(f"{url}/v1/messages", json=body) as reply:
            assert reply.status == 200
            assert "tool_use" in await reply.text()
        assert heard == [Heard("anthropic", ("report",), reports=True)]


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"messages": 3}', b'{"tools": [3]}'])
async def test_what_cannot_be_read_is_refused(body: bytes) -> None:
    """Anybody on this machine may send anything; it goes on serving."""
    async with served() as (session, url, heard):
        async with session.post(f"{url}/v1/messages", data=body) as reply:
            assert reply.status == 400
        async with session.get(f"{url}/v1/models") as reply:
            assert reply.status == 200
        async with session.get(f"{url}/elsewhere") as reply:
            assert reply.status == 404
        assert heard == []
