"""The server: routes, and one request from reading to the last byte."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Self

import orjson
from aiohttp import web

from subsessiond.loopback.count import Usage
from subsessiond.loopback.offer import find_offer
from subsessiond.loopback.reply import CHUNK, Api, Asked, Body, Call, Reply
from subsessiond.loopback.routes import MODELS, is_streamed, make_app, model_of
from subsessiond.loopback.schema import make_instance
from tests.support.modelstub.record import Request
from tests.support.modelstub.script import Place, ScriptFault, Step, find_place, list_calls

WAIT_S: Final = 20.0


class Stub:
    """A model server; what it was asked stands in `requests`, oldest first."""

    def __init__(self, *, plain: str = "ok", port: int = 0) -> None:
        self.requests: list[Request] = []
        self.strays: list[str] = []
        """Paths that were asked for and are not served."""
        self.held: set[str] = set()
        """Names at which a request is waiting now."""
        self.url = ""
        self._plain = plain
        self._port = port
        self._errors: Counter[bytes] = Counter()
        self._gates: dict[str, asyncio.Event] = {}
        self._news = asyncio.Condition()
        self._runner = web.AppRunner(
            make_app(self._serve, self._miss),
            handler_cancellation=True,
            access_log=None,
            shutdown_timeout=0.1,
        )

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @property
    def faults(self) -> list[str]:
        """Why scripts could not be played: a name that is not offered, a script that is none."""
        return [request.fault for request in self.requests if request.fault]

    def total(self) -> Usage:
        """Give the sum of all that was told."""
        told = Usage()
        for request in self.requests:
            told = told.plus(request.usage or Usage())
        return told

    def holding(self, text: str) -> list[Request]:
        """Give the requests in whose body a text stands."""
        return [request for request in self.requests if request.holds(text)]

    def release(self, name: str) -> None:
        """Let everything go that waits at a name, now and later."""
        self._gate(name).set()

    async def wait_until(self, wanted: Callable[[Self], bool], seconds: float = WAIT_S) -> None:
        """Return when something is so: asked again with each request that comes, waits or ends.

        Raises:
            TimeoutError: it was not so in time.
        """
        async with asyncio.timeout(seconds), self._news:
            await self._news.wait_for(lambda: wanted(self))

    async def wait_held(self, name: str, seconds: float = WAIT_S) -> None:
        """Return when a request waits at a name."""
        await self.wait_until(lambda stub: name in stub.held, seconds)

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _miss(self, request: web.Request) -> web.Response:
        self.strays.append(f"{request.method} {request.path}")
        return web.json_response({"error": {"message": "not served"}}, status=404)

    def _serve(self, api: Api) -> Callable[[web.Request], Any]:
        async def serve(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            body = orjson.loads(raw)
            model = model_of(request, body)
            record = Request(api=api.name, path=request.path, model=model, raw=raw)
            self.requests.append(record)
            await self._tell()
            streamed = is_streamed(request, body)
            try:
                return await self._answer(request, api, body, record, streamed=streamed)
            finally:
                await self._tell()

        return serve

    async def _answer(
        self, request: web.Request, api: Api, body: Body, record: Request, *, streamed: bool
    ) -> web.StreamResponse:
        asked = api.read(body)
        step = self._choose(asked, record)
        await self._wait(step.get("wait", 0))
        if self._errs(step, record):
            record.status = step["error"]
            after = {"Retry-After": str(step["retry_after"])} if "retry_after" in step else {}
            told = api.error(record.status, f"scripted error {record.status}")
            return web.json_response(told, status=record.status, headers=after)
        if "junk" in step:
            return web.Response(text=step["junk"], content_type="text/event-stream")
        reply = self._reply(asked, step, record)
        if streamed:
            return await self._stream(request, api.stream(reply), step)
        return web.json_response(api.whole(reply))

    def _choose(self, asked: Asked, record: Request) -> Step:
        """Note where the script has got to and give the step to play."""
        record.offered = tuple(offer.full for offer in asked.offers)
        try:
            place = find_place(asked.said) if asked.offers else Place(None)
        except ScriptFault as fault:
            record.fault = str(fault)
            return {"text": f"modelstub: {fault}"}
        record.scripted, record.step, record.results = place.scripted, place.number, place.results
        if place.step is not None:
            return place.step
        if place.scripted:
            return {"text": "modelstub: the script is over"}
        told = asked.schema and orjson.dumps(make_instance(asked.schema)).decode()
        return {"text": told or self._plain}

    def _errs(self, step: Step, record: Request) -> bool:
        if "error" not in step:
            return False
        key = orjson.dumps([step, record.step, record.results])
        self._errors[key] += 1
        return "times" not in step or self._errors[key] <= step["times"]

    async def _wait(self, until: float | str) -> None:
        if not isinstance(until, str):
            await asyncio.sleep(until)
            return
        self.held.add(until)
        await self._tell()
        try:
            await self._gate(until).wait()
        finally:
            self.held.discard(until)

    def _reply(self, asked: Asked, step: Step, record: Request) -> Reply:
        text = step.get("text", "") * step.get("repeat", 1)
        calls: list[Call] = []
        for name, args in list_calls(step):
            offer = find_offer(name, asked.offers)
            if offer is None:
                record.fault = f"no tool like {name!r} in {record.offered}"
                text, calls = f"modelstub: {record.fault}", []
                break
            calls.append(Call(f"call_{uuid.uuid4().hex[:20]}", offer, args))
        record.called, record.said = tuple(call.offer.full for call in calls), text
        counted = Usage.counted(record.raw, [text, *([c.offer.full, c.args] for c in calls)])
        record.usage = counted._replace(**step.get("usage", {}))
        return Reply(
            id=uuid.uuid4().hex[:20],
            model=record.model or MODELS[0],
            text=text,
            calls=tuple(calls),
            finish=step.get("finish", ""),
            usage=record.usage,
            chunk=step.get("chunk", CHUNK),
        )

    async def _stream(self, request: web.Request, events: Any, step: Step) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for number, event in enumerate(events):
            if number >= step.get("cut", number + 1):
                assert request.transport is not None
                request.transport.abort()
                return answer
            if step.get("pace"):
                await asyncio.sleep(step["pace"])
            await answer.write(event.written())
        await answer.write_eof()
        return answer
