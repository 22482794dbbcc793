"""One message in, one answer out: JSON-RPC 2.0 through jsonrpcserver.

The only importer of jsonrpcserver. What it is not left to do, as its release 5.0.9 does it: it
checks requests against a JSON schema (half of a call's time), sends the text of exceptions and the
names of unknown methods to the client, and gathers batches as tasks of its own, so that a later
message could overtake an earlier batch. So messages are read, split and checked before it, its
methods never raise, and its errors get our words after it.
"""

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from structlog.typing import FilteringBoundLogger

from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Rejection
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.fastpath import FastPath
from subsessiond.rpc.invoke import Entry, Failure, invoke
from subsessiond.rpc.reading import Unreadable, read_json
from subsessiond.rpc.request import id_of, is_notification, request_faults
from subsessiond.wire.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    error_object,
    malformed,
)
from subsessiond.wire.methods import METHODS

BATCH_MOST = 100

AT_ONCE = frozenset(
    {
        "daemon.health",
        "daemon.info",
        "roles.list",
        "agents.list",
        "subsession.node",
        "subsession.tree",
    }
)
"""Methods that show what is in memory: they wait only where told to, or for a node of long ago."""
_encode = msgspec.json.Encoder().encode
_BY_NAME = FieldFault(path="params", problem="must be an object; parameters are given by name")

Answer = Coroutine[Any, Any, bytes | None]


class Library(NamedTuple):
    """What is used of jsonrpcserver."""

    error: Callable[..., Any]
    success: Callable[..., Any]
    create_request: Callable[..., Any]
    dispatch_request: Callable[..., Any]
    not_notification: Callable[..., Any]
    to_response: Callable[..., Any]
    to_serializable_one: Callable[..., Any]


@cache
def _library() -> Library:
    """Load jsonrpcserver for the first call that needs it.

    Why not with the module: it checks a schema of its own and looks through every installed
    package, which is a seventh of the daemon's start; most daemons never need it.
    """
    with warnings.catch_warnings():
        # Why: it reads its request schema, which is not used here, in a way Python deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        from jsonrpcserver import Error, Success, async_dispatcher, dispatcher, response  # noqa: PLC0415

    return Library(
        error=Error,
        success=Success,
        create_request=dispatcher.create_request,
        dispatch_request=async_dispatcher.dispatch_request,
        not_notification=dispatcher.not_notification,
        to_response=dispatcher.to_response,
        to_serializable_one=response.to_serializable_one,
    )


class Answers(NamedTuple):
    """A message split into its calls, none of which has begun."""

    calls: tuple[Answer, ...] = ()
    """To be begun in this order; each gives its reply, or none for a notification."""
    is_batch: bool = False
    ready: bytes | None = None
    """The whole answer, when there is nothing to run."""
    at_once: bool = False
    """Whether the one call may be begun where it was read (`Entry.at_once`)."""

    def join(self, replies: Sequence[bytes | None]) -> bytes | None:
        """Make one message of the replies; a batch of notifications gets nothing at all."""
        said = [reply for reply in replies if reply is not None]
        if not said:
            return None
        return b"[%b]" % b",".join(said) if self.is_batch else said[0]


class Dispatcher:
    """Knows the methods, and answers messages by them."""

    def __init__(self, handlers: Mapping[str, Handler], log: FilteringBoundLogger) -> None:
        models = {method.name: method.params for method in METHODS}
        self._entries = {
            name: Entry(name, models[name], run, at_once=name in AT_ONCE)
            for name, run in handlers.items()
        }
        self._log = log
        self._fast = FastPath(self._entries, log)
        self._methods = {name: self._method(entry) for name, entry in self._entries.items()}

    def split(self, raw: bytes, call: Call) -> Answers:
        """Read one message and split it into calls. Never waits; begins nothing.

        Args:
            raw: The bytes of the message.
            call: Who is calling.
        """
        message = read_json(raw)
        if isinstance(message, Unreadable):
            return Answers(ready=_unreadable(message))
        if not isinstance(message, list):
            entry = self._fast.entry(message)
            if entry is None:
                return Answers(calls=(self.answer_long(message, call),))
            return Answers((self._fast.answer(entry, message, call),), at_once=entry.at_once)
        if not message:
            fault = FieldFault(path="", problem="is an empty batch")
            return Answers(ready=_error(malformed(INVALID_REQUEST, (fault,))))
        if len(message) > BATCH_MOST:
            fault = FieldFault(path="", problem=f"is a batch of more than {BATCH_MOST} calls")
            error = malformed(INVALID_REQUEST, (fault,), limit=BATCH_MOST, actual=len(message))
            return Answers(ready=_error(error))
        return Answers(tuple(self.answer(one, call) for one in message), is_batch=True)

    def refuse(self, raw: bytes, rejection: Rejection) -> bytes | None:
        """Answer every call of a message with one refusal, running none of them."""
        message = read_json(raw)
        if isinstance(message, Unreadable):
            return _unreadable(message)
        is_batch = isinstance(message, list) and 0 < len(message) <= BATCH_MOST
        calls = message if is_batch else [message]
        said = [
            _error(error_object(rejection), id_of(one))
            for one in calls
            if request_faults(one) or not is_notification(one)
        ]
        return Answers(is_batch=is_batch).join(said)

    async def handle(self, raw: bytes, call: Call) -> bytes | None:
        """Answer one message; calls of a batch begin in their order and run side by side."""
        return await self.finish(self.split(raw, call))

    async def finish(self, answers: Answers) -> bytes | None:
        """Run the calls of a message that was split."""
        if not answers.is_batch:
            return await answers.calls[0] if answers.calls else answers.ready
        return answers.join(await asyncio.gather(*answers.calls))

    def answer(self, message: Any, call: Call) -> Answer:
        """Answer one call by the shortest way that can."""
        entry = self._fast.entry(message)
        if entry is not None:
            return self._fast.answer(entry, message, call)
        return self.answer_long(message, call)

    async def answer_long(self, message: Any, call: Call) -> bytes | None:
        """Answer any call, well-formed or not, through the library."""
        faults = request_faults(message)
        if faults:
            return _error(malformed(INVALID_REQUEST, faults), id_of(message))
        lib = _library()
        asked = lib.create_request(message)
        request, result = await lib.dispatch_request(self._methods, call, asked)
        if not lib.not_notification((request, result)):
            return None
        response: Any = lib.to_serializable_one(lib.to_response(request, result))
        return _encode(_in_our_words(response))

    def _method(self, entry: Entry) -> Any:
        async def method(call: Call, /, **params: Any) -> Any:
            result = await invoke(entry, call, params, self._log)
            if isinstance(result, Failure):
                return _library().error(**result.error)
            return _library().success(result)

        return method


def _in_our_words(response: dict[str, Any]) -> dict[str, Any]:
    """Replace what the library says of an unknown method, or of parameters by position."""
    said = response.get("error", {}).get("message")
    if said == "Method not found":
        return {**response, "error": malformed(METHOD_NOT_FOUND)}
    if said == "Invalid params":
        return {**response, "error": malformed(INVALID_PARAMS, (_BY_NAME,))}
    return response


def _unreadable(why: Unreadable) -> bytes | None:
    """Answer a message that could not be taken, as exactly as is known what is wrong with it."""
    if why.message is None or isinstance(why.message, list):
        return _error(malformed(PARSE_ERROR, why.faults))
    if faults := request_faults(why.message):
        return _error(malformed(INVALID_REQUEST, faults), id_of(why.message))
    if is_notification(why.message):
        return None
    return _error(malformed(INVALID_PARAMS, map(_below_params, why.faults)), why.message["id"])


def _below_params(fault: FieldFault) -> FieldFault:
    return FieldFault(path=fault.path.removeprefix("params."), problem=fault.problem)


def _error(error: dict[str, Any], call_id: Any = None) -> bytes:
    return _encode({"jsonrpc": "2.0", "error": error, "id": call_id})
