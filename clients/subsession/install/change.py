"""What is to be done to one file: its bytes before and after, from our lines alone.

Pure: bytes in, bytes out. The text is edited, read again, and compared with what it should mean; a
file in which that does not come out as it should is refused.
"""

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from subsession.install import jsonc, jsonedit, tomledit
from subsession.install.clients import Lines
from subsession.install.jsonc import Unreadable
from subsession.install.record import Made

OUR_HOOK: Final = re.compile(r"\bsubsession['\"]?\s+hook stop(\s|$)")
"""A command line of our hook, whichever installation of ours it names."""


class State(StrEnum):
    """How our lines stand in a file."""

    ABSENT = "absent"
    SAME = "installed"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Edit:
    """What a file becomes."""

    before: bytes | None
    after: bytes | None
    """None where there is, or shall be, no file."""
    states: tuple[State, ...]
    """How each of the lines stood before."""
    made: Made = field(default_factory=Made)
    """What was made on the way."""

    @property
    def is_change(self) -> bool:
        """Whether anything is to be done."""
        return self.before != self.after


def install(lines: Sequence[Lines], before: bytes | None) -> Edit:
    """Put lines into a file.

    Raises:
        Unreadable: the file is not what it should be.
    """
    text, mark = _text(before)
    states, paths = [], []
    for one in lines:
        state = state_of(one, text)
        states.append(state)
        if state is not State.SAME:
            text, made = _put(one, text, state)
            paths += made
        if state_of(one, text) is not State.SAME:
            raise _by_hand(one, text)
    _check_rest(lines, before, text)
    after = mark + text.encode()
    made_all = Made(tuple(dict.fromkeys(paths)), file=before is None)
    return Edit(before, after, tuple(states), made_all)


def uninstall(lines: Sequence[Lines], before: bytes | None, made: Made) -> Edit:
    """Take lines out of a file, and what was made for them and holds nothing any more.

    Args:
        lines: what may stand there.
        before: the file.
        made: what was made in it.

    Raises:
        Unreadable: the file is not what it should be.
    """
    if before is None:
        return Edit(None, None, tuple(State.ABSENT for _ in lines))
    text, mark = _text(before)
    states = []
    for one in lines:
        states.append(state_of(one, text))
        if states[-1] is not State.ABSENT:
            text = _taken_out(one, text)
        if state_of(one, text) is not State.ABSENT:
            raise _by_hand(one, text)
    if any(state is not State.ABSENT for state in states):
        text = _tidied(text, lines, made)
    _check_rest(lines, before, text)
    after = None if made.file and not text.strip() else mark + text.encode()
    return Edit(before, after, tuple(states))


def state_of(one: Lines, text: str) -> State:
    """Tell how some lines stand in a text.

    Raises:
        Unreadable: the text is not what it should be.
    """
    if one.is_toml:
        found = tomledit.find(tomledit.parse(text), one.path)
    elif one.is_entry:
        found = _only(jsonedit.find(jsonc.parse(text), one.path), one.value)
    else:
        node = jsonedit.find(jsonc.parse(text), one.path)
        found = None if node is None else node.value
    if found is None:
        return State.ABSENT
    return State.SAME if found == one.value else State.DIFFERENT


def shown(one: Lines, before: bytes | None) -> State:
    """Tell how some lines stand in a file.

    Raises:
        Unreadable: the file is not what it should be.
    """
    return state_of(one, _text(before)[0])


def _text(data: bytes | None) -> tuple[str, bytes]:
    """Give the text of a file, and the mark of its encoding if it begins with one."""
    data = data or b""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        return data[len(mark) :].decode(), mark
    except UnicodeDecodeError as fault:
        good = data[len(mark) : len(mark) + fault.start].decode()
        raise Unreadable(good, len(good), "bytes that are no UTF-8") from None


def _by_hand(one: Lines, text: str) -> Unreadable:
    return Unreadable(text, 0, f"{'.'.join(one.path)} has to be edited by hand")


def _check_rest(lines: Sequence[Lines], before: bytes | None, after: str) -> None:
    """Make sure that all else means what it did; of TOML `tomledit` does.

    Raises:
        Unreadable: it does not, and a person has to do it.
    """
    for one in lines:
        if not one.is_toml and _rest(lines, _text(before)[0]) != _rest(lines, after):
            raise _by_hand(one, after)


def _rest(lines: Sequence[Lines], text: str) -> Any:
    """Give what a document means without our lines, and without what they leave empty."""
    root = jsonc.parse(text)
    meant = {} if root is None else root.value
    for one in lines:
        meant = _less(meant, one.path, is_entry=one.is_entry)
        for name, value in one.beside:
            if isinstance(meant, dict) and meant.get(name) == value:
                meant = _less(meant, (name,), is_entry=False)
    return meant


def _less(meant: Any, path: tuple[str, ...], *, is_entry: bool) -> Any:
    """Give what something means without what stands at a path, or our entries of the list there."""
    if not isinstance(meant, dict) or path[0] not in meant:
        return meant
    below = meant[path[0]]
    if len(path) > 1:
        below = _less(below, path[1:], is_entry=is_entry)
    elif is_entry and isinstance(below, list):
        below = [kept for entry in below if (kept := _not_ours(entry)) is not None]
    elif not is_entry:
        below = None
    rest = {name: value for name, value in meant.items() if name != path[0]}
    return rest if below in (None, {}, []) else {**rest, path[0]: below}


def _not_ours(entry: Any) -> Any:
    """Give an entry of a list of hooks without our hook; none where nothing is left of it."""
    if _is_ours(entry):
        return None
    group = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(group, list) or not any(map(_is_ours, group)):
        return entry
    left = [hook for hook in group if not _is_ours(hook)]
    return {**entry, "hooks": left} if left else None


def _put(one: Lines, text: str, state: State) -> tuple[str, list[tuple[str, ...]]]:
    if one.is_toml:
        return tomledit.put(text, one.path, one.value), []
    made: list[Any] = []
    if one.is_entry and state is State.DIFFERENT:
        text = _taken_out(one, text)
    edit: Callable[..., Any] = jsonedit.append if one.is_entry else jsonedit.put
    for name, value in one.beside:
        if jsonedit.find(jsonc.parse(text), (name,)) is None:
            text, above = jsonedit.put(text, (name,), value)
            made += [*above, (name,)]
    text, above = edit(text, one.path, one.value)
    return text, [*made, *above]


def _taken_out(one: Lines, text: str) -> str:
    if one.is_toml:
        return tomledit.drop(text, one.path)
    if not one.is_entry:
        while jsonedit.find(jsonc.parse(text), one.path) is not None:
            text = jsonedit.drop(text, one.path)
        return text
    for place, inner in reversed(_ours(jsonedit.find(jsonc.parse(text), one.path))):
        path: jsonedit.Path = (*one.path, place)
        if inner is not None:
            text = jsonedit.drop(text, (*path, "hooks", inner))
        if inner is None or jsonedit.is_bare(text, (*path, "hooks")):
            text = jsonedit.drop(text, path)
    return text


def _tidied(text: str, lines: Sequence[Lines], made: Made) -> str:
    """Take out what was made for ours and holds nothing any more, the innermost first."""
    if not any(not one.is_toml for one in lines):
        return text
    beside = {name: value for one in lines for name, value in one.beside}
    names = [(name,) for name in beside]
    # Why those beside ours last: they go where nothing else is left.
    for path in sorted(made.paths, key=lambda path: (path[:1] in names, -len(path))):
        root = jsonc.parse(text)
        alone = root is not None and isinstance(root.value, dict) and root.value == beside
        if path and (jsonedit.is_bare(text, path) or (alone and path[0] in beside)):
            text = jsonedit.drop(text, path)
    if () in made.paths and jsonedit.is_bare(text, ()):
        root = jsonc.parse(text)
        assert root is not None
        kept = text[: root.start] + text[root.end :]
        text = kept if kept.strip() else ""
    return text


def _ours(box: jsonc.Node | None) -> list[tuple[int, int | None]]:
    """Find our hook in a list of hooks, or of groups of them: places, and places in the group."""
    found: list[tuple[int, int | None]] = []
    entries = box.value if box is not None and isinstance(box.value, list) else []
    for place, entry in enumerate(entries):
        if _is_ours(entry):
            found.append((place, None))
        group = entry.get("hooks") if isinstance(entry, dict) else None
        inner = group if isinstance(group, list) else []
        found += [(place, at) for at, one in enumerate(inner) if _is_ours(one)]
    return found


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and OUR_HOOK.search(command) is not None


def _only(box: jsonc.Node | None, wanted: dict[str, Any]) -> Any:
    """Give what stands for our entry; a group that holds others beside our hook stands for it."""
    places = _ours(box)
    if box is None or not places:
        return None
    place, inner = places[0]
    entry = box.value[place]
    if len(places) > 1:
        return [entry, "and once more"]
    whole = inner is None or entry["hooks"][inner] not in wanted.get("hooks", ())
    return entry if whole else wanted
