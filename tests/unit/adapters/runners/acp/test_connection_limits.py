import asyncio
import json
from typing import Any

import pytest

from subsessiond.adapters.runners.acp.connection import AT_ONCE, AnsweredError, Connection
from tests.unit.adapters.runners.acp.test_connection import Both, settle


def nested(levels: int) -> Any:
    """Make a list in a list in a list."""
    made: Any = []
    for _ in range(levels):
        made = [made]
    return made


async def test_nesting_that_can_be_read_and_not_be_written_ends_nothing() -> None:
    """An id, a method, an error's words and data as deep as the stack: each is answered or read."""
    both = Both()
    connection = Connection(both.write, both)
    deep = nested(100_000)
    await connection.take({"id": deep, "method": "x", "params": {}})
    await connection.take({"id": 1, "method": deep})
    await settle()
    assert [(said["id"], said["error"]["code"]) for said in both.written] == [
        (None, -32600),
        (1, -32600),
    ]
    asked = await connection.send("ask", {})
    await connection.take({"id": 1, "error": {"code": 5, "message": deep, "data": deep}})
    with pytest.raises(AnsweredError, match="error 5") as raised:
        await asked
    assert raised.value.said == "(nested too deep) (nested too deep)"
    await connection.close()


def test_a_code_is_a_number_and_no_text_in_disguise() -> None:
    """A parent is told the code: hundreds of digits would be whatever an agent wants to say."""
    assert AnsweredError({"code": -32603}).code == -32603
    for code in (int("7" * 400), -(2**31), True, 1.5, "5"):
        assert AnsweredError({"code": code}).code is None


async def test_a_line_is_made_when_the_one_before_is_written() -> None:
    """An agent that asks for much and reads nothing makes us hold one line, not all of them."""
    written: list[bytes] = []
    gate = asyncio.Event()

    async def write(line: bytes) -> None:
        written.append(line)
        await gate.wait()

    connection = Connection(write, Both())
    for n in range(AT_ONCE):
        await connection.take({"id": n, "method": "x", "params": {}})
    await settle()
    assert len(written) == 1
    gate.set()
    for _ in range(AT_ONCE):
        await settle()
    assert [json.loads(line)["id"] for line in written] == list(range(AT_ONCE))
    await connection.close()
