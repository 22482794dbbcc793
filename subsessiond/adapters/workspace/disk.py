"""Workspaces as they are on disk: their one name, and patterns in a form that can be compared."""

import asyncio
import contextlib
import os
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from subsessiond.adapters.workspace.rolefiles import read_role_files
from subsessiond.core.scope import (
    Pattern,
    PatternFault,
    expand,
    literal_prefix,
    parse_pattern,
    with_prefix,
)
from subsessiond.model.brief import FieldFault
from subsessiond.model.projectrole import RoleFile
from subsessiond.ports import WorkspaceBusy, WorkspaceFault

T = TypeVar("T")

LOOK_S = 0.2
"""How long looking at links may take before the call is refused (a dead network mount)."""

PIECES = 4
"""In how many pieces that time is waited for, so that a stall in one of them is noticed."""

LOOKS_MOST = 16
"""Looks under way at once: beyond it something hangs, and one more thread would hang with it."""


class DiskWorkspace:
    """Looks at folders, off the loop and within a bound of time.

    Each look has a thread of its own: what hangs on a dead mount can neither be ended nor may it
    hold up looks at other folders, or the end of the daemon.
    """

    def __init__(self, *, fold_case: bool = False, look_s: float = LOOK_S) -> None:
        self._fold_case = fold_case
        self._look_s = look_s
        self._free = threading.BoundedSemaphore(LOOKS_MOST)
        self._threads: list[threading.Thread] = []
        self._closed = False

    async def open(self, path: str) -> str:
        """Give a workspace's one name: absolute, links resolved.

        Raises:
            WorkspaceFault: no such folder, not a folder, or not readable in time.
        """
        return await self._look(_real_folder, path)

    async def normal_forms(
        self,
        workspace: str,
        patterns: tuple[str, ...],
    ) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
        """Bring patterns to their normal form on this disk.

        Returns:
            Normal forms in order (empty text where faulty), and faults at `brief.ownedGlobs[i]`.
        """
        if not patterns:
            return (), ()
        left = threading.Event()
        try:
            return await self._look(_normal_forms, workspace, patterns, self._fold_case, left)
        finally:
            left.set()

    async def role_files(self, workspace: str) -> tuple[RoleFile, ...]:
        """Read the files of a workspace that may describe roles.

        Raises:
            WorkspaceFault: the folder is there and cannot be read, or not in time.
        """
        return await self._look(_role_files, workspace)

    def close(self) -> None:
        """Look no more, and see the threads off; what hangs is left to the end of the process."""
        self._closed = True
        for thread in self._threads:
            thread.join(self._look_s / LOOKS_MOST)

    async def _look(self, function: Callable[..., T], *arguments: object) -> T:
        """Run one look in a thread, and give up when it hangs.

        Why the loop's own delay is left out: on a machine that has stalled, the answer may have
        been there before anybody could take it.
        """
        loop = asyncio.get_running_loop()
        found = self._begin(loop, function, arguments)
        piece_s = self._look_s / PIECES
        for _ in range(PIECES):
            began = loop.time()
            await asyncio.wait((found,), timeout=piece_s)
            if found.done():
                return found.result()
            late_s = loop.time() - began - piece_s
            if late_s > self._look_s:
                await asyncio.wait((found,), timeout=late_s)
        found.cancel()
        message = f"looking at {arguments[0]} took longer than {self._look_s} s"
        raise WorkspaceBusy(message)

    def _begin(
        self,
        loop: asyncio.AbstractEventLoop,
        function: Callable[..., T],
        arguments: tuple[object, ...],
    ) -> "asyncio.Future[T]":
        """Start one look in a daemon thread: nobody has to wait for it, not even the exit."""
        if self._closed or not self._free.acquire(blocking=False):
            message = f"{LOOKS_MOST} looks at folders are under way: a file system hangs"
            raise WorkspaceBusy("the daemon is stopping" if self._closed else message)
        found: asyncio.Future[T] = loop.create_future()

        def look() -> None:
            value, error = _outcome(function, arguments)
            self._free.release()
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_settle, found, value, error)

        thread = threading.Thread(target=look, name="workspace look", daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(thread)
        thread.start()
        return found


def _outcome(
    function: Callable[..., T], arguments: tuple[object, ...]
) -> tuple[T | None, Exception | None]:
    try:
        return function(*arguments), None
    except Exception as error:  # noqa: BLE001  # carried over to whoever waits
        return None, error


def _settle(found: "asyncio.Future[T]", value: T | None, error: Exception | None) -> None:
    if found.done():
        return
    if error is not None:
        found.set_exception(error)
    else:
        found.set_result(value)  # type: ignore[arg-type]  # without an error it is what was asked


def _real_folder(path: str) -> str:
    try:
        whole = Path(path).expanduser()
        if not whole.is_absolute():
            # Why: it would be found beside the daemon, not beside whoever asks.
            raise WorkspaceFault("cannot be opened: its path must be absolute")
        real = whole.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        message = f"cannot be opened: {_words(error)}"
        raise WorkspaceFault(message) from None
    if not real.is_dir():
        message = "cannot be opened: it is not a folder"
        raise WorkspaceFault(message)
    return _nameable(str(real))


def _nameable(real: str) -> str:
    """Give a path that can be written down and shown; a link may lead to one that cannot."""
    if any("\ud800" <= char <= "\udfff" for char in real):
        raise WorkspaceFault("cannot be opened: the name of its folder is not UTF-8")
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in real):
        raise WorkspaceFault("cannot be opened: the name of its folder has control characters")
    return real


def _words(error: Exception) -> str:
    return (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)


def _role_files(workspace: str) -> tuple[RoleFile, ...]:
    try:
        return read_role_files(workspace)
    except OSError as fault:
        raise WorkspaceFault(f"its roles cannot be read: {fault.strerror}") from None


def _normal_forms(
    workspace: str,
    patterns: tuple[str, ...],
    fold_case: bool,  # noqa: FBT001  # passed on by position through the thread
    left: threading.Event,
) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
    forms: list[str] = []
    faults: list[FieldFault] = []
    for i, text in enumerate(patterns):
        if left.is_set():
            # Why: a list can be made that takes minutes, and a thread for each would pile up.
            raise WorkspaceBusy("nobody waits for it any more")
        form = _normal_form(workspace, text, fold_case=fold_case)
        if isinstance(form, PatternFault):
            faults.append(FieldFault(path=f"brief.ownedGlobs[{i}]", problem=form.reason))
        forms.append("" if isinstance(form, PatternFault) else form)
    return tuple(forms), tuple(faults)


def _normal_form(workspace: str, text: str, *, fold_case: bool) -> str | PatternFault:
    inside = _relative(workspace, text)
    if isinstance(inside, PatternFault):
        return inside
    lexical = parse_pattern(inside)
    if isinstance(lexical, PatternFault):
        return lexical
    resolved = _through_links(workspace, lexical)
    if isinstance(resolved, PatternFault):
        return resolved
    final = parse_pattern(resolved, fold_case=fold_case)
    return final if isinstance(final, PatternFault) else final.text


def _relative(workspace: str, text: str) -> str | PatternFault:
    """Make an absolute pattern relative, when it lies inside the workspace."""
    if not text.startswith("/"):
        return text
    base = workspace.rstrip("/") + "/"
    lexical = os.path.normpath("/" + text.lstrip("/"))
    if lexical.rstrip("/") + "/" == base:
        return "**"
    if not lexical.startswith(base):
        return PatternFault(reason="leaves the workspace")
    return lexical[len(base) :] + ("/" if text.endswith("/") else "")


def _through_links(workspace: str, pattern: Pattern) -> str | PatternFault:
    """Resolve symlinks in the literal beginning of a pattern, of each alternative where it has any.

    Why alternatives apart: `{src,link}/x` has no literal beginning, and `link` may lead to `src`.
    """
    alternatives = expand(pattern)
    resolved = tuple(_one_through_links(workspace, one.text) for one in alternatives)
    for found in resolved:
        if isinstance(found, PatternFault):
            return found
    texts = tuple(text for text in resolved if isinstance(text, str))
    if texts == tuple(one.text for one in alternatives):
        return pattern.text
    return texts[0] if len(texts) == 1 else "{" + ",".join(texts) + "}"


def _one_through_links(workspace: str, text: str) -> str | PatternFault:
    prefix = literal_prefix(text)
    if not prefix:
        return text
    base = Path(workspace)
    try:
        real = base.joinpath(*prefix).resolve(strict=False)
    except (OSError, RuntimeError):
        return PatternFault(reason="runs in a circle of links")
    if real != base and base not in real.parents:
        return PatternFault(reason="leaves the workspace through a link")
    return with_prefix(text, real.relative_to(base).parts)
