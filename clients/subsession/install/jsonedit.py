"""Changes to JSON with comments that leave every other character as it stands.

What is put in is taken out again to the last byte, unless somebody has edited beside it; then what
they wrote stays.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from subsession.install.jsonc import Node, Part, Unreadable, parse

Step = str | int
Path = tuple[Step, ...]
"""Names of members and places in lists, from the root on."""

UNIT: Final = "  "
"""One level of indentation where the file shows none."""

_SAME_LINE = re.compile(r"(?:[ \t]*(?:/\*[^\n\r]*?\*/|//[^\n\r]*))+")
_BLANK: Final = " \t\r\n"


def find(root: Node | None, path: Path) -> Node | None:
    """Give the node at a path, if there is one."""
    node = root
    for step in path:
        part = _part(node, step)
        node = None if part is None else part.node
    return node


def _part(node: Node | None, step: Step) -> Part | None:
    """Give a member by its name, the last of several, or an entry by its place."""
    parts = (node.parts if node else None) or []
    if isinstance(step, int):
        return parts[step] if step < len(parts) else None
    return next((part for part in reversed(parts) if part.name == step), None)


def put(text: str, path: tuple[str, ...], value: Any) -> tuple[str, tuple[Path, ...]]:
    """Set a member, and make the objects above it that are missing.

    Returns:
        The text, and the paths of what was made above the member; the empty path is the document.

    Raises:
        Unreadable: the text is no JSON, or something else stands where an object is needed.
    """
    root = parse(text)
    if root is None:
        made = tuple(path[:size] for size in range(len(path)))
        return _document(text, _nested(path, value)), made
    box, depth = root, 0
    for depth, name in enumerate(path):
        _need(text, box, dict, path[:depth])
        part = _part(box, name)
        if part is None:
            break
        box = part.node
    else:
        return _replaced(text, box, value), ()
    made = tuple(path[: size + 1] for size in range(depth, len(path) - 1))
    name = json.dumps(path[depth], ensure_ascii=False)
    inner = _nested(path[depth + 1 :], value)
    return _inserted(text, box, lambda *how: f"{name}: {_written(inner, *how)}"), made


def append(text: str, path: tuple[str, ...], value: Any) -> tuple[str, tuple[Path, ...]]:
    """Put an entry at the end of a list, and make what is missing above it.

    Returns:
        As `put`.

    Raises:
        Unreadable: as `put`; or there is something else than a list.
    """
    box = find(parse(text), path)
    if box is None:
        changed, made = put(text, path, [value])
        return changed, (*made, path)
    _need(text, box, list, path)
    return _inserted(text, box, lambda *how: _written(value, *how)), ()


def drop(text: str, path: Path) -> str:
    """Take out what stands at a path; nothing there is fine.

    Raises:
        Unreadable: the text is no JSON.
    """
    root = parse(text)
    box = find(root, path[:-1])
    part = _part(box, path[-1])
    if box is None or part is None or box.parts is None:
        return text
    return _without(text, box, box.parts.index(part))


def is_bare(text: str, path: Path) -> bool:
    """Tell whether there is an object or a list at a path with nothing in it, no comment either."""
    node = find(parse(text), path)
    return node is not None and node.parts == [] and not text[node.start + 1 : node.end - 1].strip()


def _need(text: str, box: Node, kind: type, path: Path) -> None:
    if not isinstance(box.value, kind):
        where = ".".join(map(str, path)) or "the document"
        what = "an object" if kind is dict else "a list"
        raise Unreadable(text, box.start, f"{where} should be {what}")


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _document(text: str, value: Any) -> str:
    """Write a document behind the comments of a file that has nothing else."""
    eol = _eol(text)
    before = text.rstrip() + eol if text.strip() else ""
    return f"{before}{_written(value, '', UNIT, eol)}{eol}"


def _replaced(text: str, node: Node, value: Any) -> str:
    how = (_indentation(text, node.start), _unit(text), _eol(text))
    return text[: node.start] + _written(value, *how) + text[node.end :]


def _inserted(text: str, box: Node, write: Callable[[str, str, str], str]) -> str:
    """Put something at the end of an object or a list.

    Args:
        text: the document.
        box: the object or list.
        write: gives what is put in, by its indentation, one level of it and the end of lines; all
            empty for one line.
    """
    base, unit, eol = _indentation(text, box.start), _unit(text), _eol(text)
    if not box.parts:
        inner = text[box.start + 1 : box.end - 1]
        kept = box.start + 1 + len(inner.rstrip())
        rest = inner[len(inner.rstrip()) :] if inner.strip() else ""
        close = rest if "\n" in rest else eol + base
        written = eol + base + unit + write(base + unit, unit, eol)
        return text[:kept] + written + close + text[box.end - 1 :]
    last = box.parts[-1]
    comma = "" if last.comma is not None else ","
    end = last.node.end if last.comma is None else last.comma + 1
    beside = _SAME_LINE.match(text, end, box.end - 1)
    rest_at = beside.end() if beside else end
    if "\n" in text[box.start : box.end]:
        child = _child_indentation(text, last, base + unit)
        written = eol + child + write(child, unit, eol)
    else:
        written = " " + write("", "", "")
    tail = "," if not comma else ""
    return text[:end] + comma + text[end:rest_at] + written + tail + text[rest_at:]


def _without(text: str, box: Node, place: int) -> str:
    """Take one part out, with the white space before it and the comma that it needs no more."""
    parts = box.parts or []
    part = parts[place]
    end = part.node.end if part.comma is None else part.comma + 1
    start = box.start + 1 + len(text[box.start + 1 : part.start].rstrip(_BLANK))
    if len(parts) == 1:
        around = text[box.start + 1 : start] + text[end : box.end - 1]
        end = box.end - 1 if not around.strip() else end
        return text[:start] + text[end:]
    before = parts[place - 1].comma if place else None
    if part.comma is None and before is not None:
        return text[:before] + text[before + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _written(value: Any, indentation: str, unit: str, eol: str) -> str:
    """Write a value: objects with a line for each member, or all in one line without ends."""
    plain = not isinstance(value, dict | list)
    if plain or not eol or not value or _is_flat(value):
        return json.dumps(value, ensure_ascii=False)
    deeper, start = indentation + unit, eol + indentation + unit
    inner = [
        (f"{json.dumps(name, ensure_ascii=False)}: " if name is not None else "")
        + _written(below, deeper, unit, eol)
        for name, below in _entries(value)
    ]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{start}{(',' + start).join(inner)}{eol}{indentation}{closing}"


def _is_flat(value: Any) -> bool:
    """Tell whether it is a list of words, which reads better in one line."""
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)


def _entries(value: Any) -> list[tuple[str | None, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(None, item) for item in value]


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indentation(text: str, at: int) -> str:
    """Give the white space with which the line of a place begins."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _child_indentation(text: str, part: Part, otherwise: str) -> str:
    """Give the indentation of a part that begins its line."""
    line = text[text.rfind("\n", 0, part.start) + 1 : part.start]
    return otherwise if line.strip(" \t") else line


def _unit(text: str) -> str:
    """Give one level of indentation: the least that a line of the file begins with."""
    found = re.search(r'^([ \t]+)["{\[]', text, re.MULTILINE)
    return found[1] if found else UNIT
