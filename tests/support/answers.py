"""Methods that answer without a daemon behind them: for tests of the transport and of dispatch."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from pydantic import BaseModel

from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Report
from subsessiond.model.view import HealthAnswer
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.refused import Refused
from subsessiond.wire.report import parse_report

OPERATOR = Caller(may_grant=True, why="test")
REFUSAL = Rejection(code=Code.BUSY, step="guard", detail="later", retry_after_ms=5)
SECRET = "hunter2-in-an-exception"


@dataclass
class Answers:
    """Methods with a memory of what was begun, and a gate that some of them wait at."""

    begun: list[Any] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    ended: int = 0

    def handlers(self) -> dict[str, Handler]:
        """Give the methods by name."""
        return {
            "daemon.health": self.health,
            "daemon.stats": self.refuse,
            "daemon.info": self.break_down,
            "subsession.steer": self.note,
            "subsession.cancel": self.wait,
            "subsession.report": self.report,
            "roles.list": self.written,
            "agents.list": self.unwritable,
            "events.subscribe": self.subscribe,
        }

    async def health(self, _call: Call, _params: BaseModel) -> HealthAnswer:
        """Answer at once."""
        return HealthAnswer(ok=True, seq=7)

    async def refuse(self, _call: Call, _params: BaseModel) -> dict[str, Any]:
        """Refuse."""
        raise Refused(REFUSAL)

    async def break_down(self, _call: Call, _params: BaseModel) -> dict[str, Any]:
        """Have a bug."""
        raise KeyError(SECRET)

    async def note(self, _call: Call, params: Any) -> dict[str, Any]:
        """Remember the text, and answer with it."""
        self.begun.append(params.text)
        return {"text": params.text}

    async def wait(self, _call: Call, params: Any) -> dict[str, Any]:
        """Remember the node, then wait at the gate."""
        self.begun.append(params.node_id)
        async with asyncio.timeout(20):
            await self.gate.wait()
        self.ended += 1
        return {"nodes": [], "already": False}

    async def report(self, _call: Call, params: Any) -> dict[str, Any]:
        """Judge size before shape, as the pinned order has it."""
        report = parse_report(params.raw)
        if isinstance(report, Report):
            return {"messageId": "m", "text": "", "already": False}
        code = Code.REPORT_TOO_LARGE if report.size_bytes > 1_800 else Code.REPORT_INVALID
        raise Refused(Rejection(code=code, step="size", actual=report.size_bytes))

    async def written(self, _call: Call, _params: BaseModel) -> msgspec.Raw:
        """Answer with JSON that was written before."""
        return msgspec.Raw(b'{"roles":[],"more":0}')

    async def unwritable(self, _call: Call, _params: BaseModel) -> dict[str, Any]:
        """Answer with what is no JSON."""
        return {"value": object()}

    async def subscribe(self, call: Call, params: Any) -> dict[str, Any]:
        """Push as many notifications as the cursor says."""
        assert call.connection is not None
        for number in range(params.after_seq or 0):
            call.connection.notify("events.event", {"seq": number})
        return {"seq": 0, "resync": False}


def quiet_log() -> Any:
    """Give a log that keeps what it is told, in `entries`."""
    log = structlog.testing.CapturingLogger()
    return structlog.wrap_logger(log, processors=[])
