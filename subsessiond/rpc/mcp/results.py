"""What a tool answers: text for the model, and of a refusal its data besides."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.core.words import saved
from subsessiond.core.words.answers import hired, mail_text
from subsessiond.core.words.refusals import Refusal, quoted, refusal_text
from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Code
from subsessiond.rpc.mcp.arguments import Arguments, flat_path
from subsessiond.rpc.mcp.table import CHECKPOINT, INBOX, REPORT, SPAWN, STEER, SUCCEED, Tool
from subsessiond.wire.canonical import compact_bytes
from subsessiond.wire.errors import INTERNAL_ERROR, INVALID_PARAMS, MESSAGES
from subsessiond.wire.faults import UNKNOWN_FIELD

Result = dict[str, Any]

_STANDARD: Final[Mapping[int, tuple[str, str, bool]]] = MappingProxyType(
    {
        number: (name.upper().replace(" ", "_"), meaning, number == INVALID_PARAMS)
        for number, name, meaning in MESSAGES
        if number in (INVALID_PARAMS, INTERNAL_ERROR)
    }
)
"""Standard errors that a tool can meet: our word, the sentence, and whether a retry can help."""


def text_result(*texts: str) -> Result:
    """Answer with text."""
    return {"content": [_text(text) for text in texts], "isError": False}


def add_texts(result: Result, texts: tuple[str, ...]) -> Result:
    """Let more texts ride on an answer."""
    return {**result, "content": [*result["content"], *map(_text, texts)]}


def answer_text(tool: Tool, answer: dict[str, Any]) -> str:
    """Tell a model what a method answered."""
    if tool in (REPORT, STEER):
        return str(answer["text"])
    if tool is CHECKPOINT:
        return saved(answer["pointer"])
    if tool is INBOX:
        mail = tuple((item["text"], item["again"]) for item in answer["messages"])
        return mail_text(mail, answer["more"])
    return compact_bytes(hired(answer) if tool in (SPAWN, SUCCEED) else answer).decode()


def refusal_result(
    error: dict[str, Any], tool: Tool, arguments: Arguments, roles: tuple[str, ...] = ()
) -> Result:
    """Tell a model why a method refused: one text to act on, and the same as data.

    Args:
        error: As the method's answer has it.
        tool: What was called.
        arguments: With which.
        roles: Names of the roles there are.
    """
    word, sentence, retryable = _STANDARD.get(error["code"], ("", error["message"], False))
    data = dict(error.get("data", {}))
    faults = tuple(_flat(row, arguments) for row in data.pop("fields", ()))
    standard = {"code": word, "step": "params", "retryable": retryable} if word else {}
    told = {**standard, **data}
    if faults:
        told["fields"] = [{"path": fault.path, "problem": fault.problem} for fault in faults]
    refusal = Refusal(
        message=f"{sentence} ({data['incident']})" if "incident" in data else sentence,
        fields=faults,
        more="moreFields" in data,
        limit=data.get("limit"),
        actual=data.get("actual"),
        retry_after_ms=data.get("retryAfterMs"),
        sibling=data.get("sibling"),
        paths=tuple(data.get("paths", ())),
        roles=roles if data.get("code") == Code.ROLE_UNKNOWN.name else (),
        known=tool.names if any(fault.problem == UNKNOWN_FIELD for fault in faults) else (),
    )
    content = [_text(refusal_text(refusal))]
    return {"content": content, "structuredContent": told, "isError": True}


def _flat(row: dict[str, str], arguments: Arguments) -> FieldFault:
    fault = FieldFault(path=flat_path(row["path"]), problem=row["problem"])
    return quoted(fault) if isinstance(arguments.get(fault.path), str) else fault


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
