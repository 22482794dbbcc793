"""Kinds of text and number that parameters are made of. Sizes are bytes of UTF-8."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from subsessiond.model.ids import NODE_ID_PATTERN, MessageId, NodeId, is_node_id

KIB = 1024
MOST_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""

MESSAGE_ID_PATTERN = NODE_ID_PATTERN.removesuffix("$") + r"\.[1-9][0-9]{0,14}$"
ROLE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)?$"
CHECK_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"

NAME_MOST = 128
"""Characters of a name somebody chose: of a role, a check, a key."""

_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN)
_ROLE = re.compile(ROLE_PATTERN)
_CHECK = re.compile(CHECK_PATTERN)
_PATH_LIKE = re.compile(r"[/\\%]|^\.{1,2}$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What can break a line or drive a terminal. Joiners and other invisible signs are text."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sized:
    """Text within bounds, without NUL."""

    least_bytes: int
    most_bytes: int

    def _check(self, text: str) -> str:
        if "\0" in text:
            raise PydanticCustomError("nul", "holds a NUL character")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise PydanticCustomError("surrogate", "holds an unpaired surrogate") from None
        if size < self.least_bytes:
            raise PydanticCustomError("empty", "is empty")
        if size > self.most_bytes:
            raise PydanticCustomError(
                "size",
                "is {actual} bytes long, more than {limit}",
                {"actual": size, "limit": self.most_bytes},
            )
        return text

    def __get_pydantic_core_schema__(self, source: Any, read: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, read(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, read: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # Why characters are named where bytes are meant: JSON Schema has no bytes, and no text
        # has more characters than bytes.
        return {**read(schema), "minLength": self.least_bytes, "maxLength": self.most_bytes}


@dataclass(frozen=True, slots=True)
class Spelled:
    """Text of one exact spelling."""

    what: str
    """Completes "is not …"; never holds the text itself."""
    accepts: Callable[[str], bool]
    pattern: str | None = None

    def _check(self, text: str) -> str:
        if not self.accepts(text):
            raise PydanticCustomError("spelling", "is not {what}", {"what": self.what})
        return text

    def __get_pydantic_core_schema__(self, source: Any, read: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, read(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, read: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        shape = read(schema)
        return {**shape, "pattern": self.pattern} if self.pattern else shape


@dataclass(frozen=True, slots=True)
class NeverNull:
    """Not given is absent: `None` stands for it in Python, `null` is refused on the wire."""

    def __get_pydantic_core_schema__(self, source: Any, read: GetCoreSchemaHandler) -> CoreSchema:
        schema = read(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


@dataclass(frozen=True, slots=True)
class Exactly:
    """This value in this type: Python takes `true` and 1.0 for 1, on the wire they are others."""

    value: bool | int

    def _check(self, given: Any) -> Any:
        if type(given) is not type(self.value):
            raise PydanticKnownError("literal_error", {"expected": str(self.value).lower()})
        return given

    def __get_pydantic_core_schema__(self, source: Any, read: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, read(source))


def _is_message_id(text: str) -> bool:
    return _MESSAGE_ID.fullmatch(text) is not None


def _is_role(text: str) -> bool:
    return len(text) <= NAME_MOST and _ROLE.fullmatch(text) is not None


def _is_check(text: str) -> bool:
    return len(text) <= NAME_MOST and _CHECK.fullmatch(text) is not None


def _is_key(text: str) -> bool:
    # Why nothing path-like: a key must never be able to become part of a file name.
    return 1 <= len(text) <= NAME_MOST and not _CONTROL.search(text) and not _PATH_LIKE.search(text)


def is_plain(text: str) -> bool:
    """Tell whether a text is one line without control characters."""
    return _CONTROL.search(text) is None


Maybe = Annotated[T | None, NeverNull()]
Listed = Annotated[tuple[T, ...], Field(strict=False)]
"""Why not strict: JSON has lists alone, and the strict mode of tuples refuses them."""

NodeIdText = Annotated[NodeId, Spelled("a node id", is_node_id, NODE_ID_PATTERN)]
MessageIdText = Annotated[MessageId, Spelled("a message id", _is_message_id, MESSAGE_ID_PATTERN)]
RoleName = Annotated[
    str, Spelled("a role name (letters, digits, . _ -, at most 128)", _is_role, ROLE_PATTERN)
]
CheckName = Annotated[
    str, Spelled("`files`, `scope` or the name of a check", _is_check, CHECK_PATTERN)
]
Key = Annotated[
    str,
    Sized(1, NAME_MOST),
    Spelled("a key (printable, without / \\ %)", _is_key),
]
Plain = Spelled("one line without control characters", is_plain)

AnyText = Annotated[str, Sized(0, 8 * KIB * KIB)]
SomeText = Annotated[str, Sized(1, 8 * KIB * KIB)]
Title = Annotated[str, Sized(0, 120), Plain]
Path = Annotated[str, Sized(1, 4 * KIB), Plain]
Glob = Annotated[str, Sized(1, 512), Plain]
Pointer = Annotated[str, Sized(1, 2 * KIB), Plain]
SectionName = Annotated[str, Sized(1, 128), Plain]
Mission = Annotated[str, Sized(1, 4 * KIB * KIB)]
Secret = Annotated[
    str, Sized(1, KIB), Field(json_schema_extra={"format": "password", "writeOnly": True})
]
"""Text that is used and forgotten; a field of it is not shown where its object is."""

Count = Annotated[int, Field(ge=0, le=MOST_INTEGER)]
Positive = Annotated[int, Field(ge=1, le=MOST_INTEGER)]
WaitMs = Annotated[int, Field(ge=0, le=50_000)]
