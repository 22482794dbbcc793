"""Roles of a workspace: a file there may only make a role of the operator's table narrower.

Anybody who can write to a workspace can write such a file, so it is worth nothing until the
operator has accepted its very bytes. One that is refused takes no other along.
"""

import re
from collections import Counter
from typing import Final

from msgspec.structs import replace

from subsessiond.core.bounds import cut_bytes, one_line, size_bytes
from subsessiond.core.frontmatter import FrontMatter, Given, NoFrontMatter, read_front_matter
from subsessiond.core.toolwords import class_of, is_ours
from subsessiond.model.policy import Policy
from subsessiond.model.projectrole import AcceptedRole, ProjectRole, RoleFile, RoleState
from subsessiond.model.role import Role, ToolClass

PREFIX: Final = "project/"
BODY_BYTES: Final = 32 * 1024
"""Every child of the role reads it, and its journal holds it; longer ones name a file to read."""

DESCRIPTION_BYTES: Final = 400
"""Of what a list shows; some files hold whole conversations there."""

WORD_BYTES: Final = 60
WORDS_MOST: Final = 100

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_USED: Final = ("name", "description", "tools", "disallowedTools", "model", "color")
_WRITES: Final = (ToolClass.EDIT, ToolClass.DELETE, ToolClass.EXECUTE)


class _Refused(Exception):
    """A file is no role; says why."""


def is_project_role(name: str) -> bool:
    """Tell whether a name is that of a workspace's role."""
    return name.startswith(PREFIX)


def project_roles(
    files: tuple[RoleFile, ...], policy: Policy, accepted: tuple[AcceptedRole, ...]
) -> tuple[ProjectRole, ...]:
    """Judge every file of a workspace, each for itself, but for names that two of them have.

    Args:
        files: as they were read.
        policy: the operator's tables.
        accepted: what she said yes to, in this workspace.

    Returns:
        One role for each file, in the order of files.
    """
    found = tuple(_judged(file, policy) for file in files)
    names = Counter(role.name for role in found)
    return tuple(
        _refuse(role, f"another file names its role {role.name}, too")
        if names[role.name] > 1
        else _with_state(role, accepted)
        for role in found
    )


def _with_state(role: ProjectRole, accepted: tuple[AcceptedRole, ...]) -> ProjectRole:
    if role.state is RoleState.REFUSED:
        return role
    digests = [known.digest for known in accepted if known.name == role.name]
    if role.digest in digests:
        return replace(role, state=RoleState.ACCEPTED)
    return replace(role, state=RoleState.CHANGED if digests else RoleState.UNACCEPTED)


def _refuse(role: ProjectRole, why: str) -> ProjectRole:
    return replace(role, state=RoleState.REFUSED, role=None, problem=why)


def _judged(file: RoleFile, policy: Policy) -> ProjectRole:
    """Make of one file what it is; its state is still open."""
    # Why with its ending: so it is never the name that another file gives its role.
    last = file.file.rsplit("/", 1)[-1]
    unnamed = ProjectRole(
        name=PREFIX + one_line(last, WORD_BYTES),
        file=file.file,
        digest=file.digest,
        state=RoleState.UNACCEPTED,
    )
    if file.problem:
        return _refuse(unnamed, file.problem)
    head = read_front_matter(file.text)
    if isinstance(head, NoFrontMatter):
        return _refuse(unnamed, head.why)
    named = unnamed
    try:
        named = replace(unnamed, name=PREFIX + _name(head))
        return _made(named, head, policy)
    except _Refused as refused:
        return _refuse(named, str(refused))


def _name(head: FrontMatter) -> str:
    name = head.words.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _Refused("its name is not made of small letters, digits and dashes, at most 64")
    return name


def _made(named: ProjectRole, head: FrontMatter, policy: Policy) -> ProjectRole:
    description = head.words.get("description")
    if not isinstance(description, str) or not description:
        raise _Refused("has no description")
    if not head.body:
        raise _Refused("has no text below its head")
    if (size := size_bytes(head.body)) > BODY_BYTES:
        raise _Refused(f"its text has {size} bytes, over the {BODY_BYTES} allowed")
    base, tools = _base_and_tools(head, policy)
    kept = tuple(tool for tool in base.tools if tool in tools)
    lost = tuple(tool for tool in tools if tool not in base.tools)
    role = replace(
        base,
        name=named.name,
        tools=kept,
        extends=base.name,
        digest=named.digest,
        preface=head.body,
    )
    return replace(
        named,
        description=one_line(cut_bytes(description, DESCRIPTION_BYTES), DESCRIPTION_BYTES),
        role=role,
        warnings=_warnings(head, base, lost),
    )


def _base_and_tools(head: FrontMatter, policy: Policy) -> tuple[Role, tuple[ToolClass, ...]]:
    """Choose the row to extend, and the classes that the file asks for."""
    bases = policy.project_bases
    for name in (bases.reader, bases.writer):
        base = policy.role(name)
        if base is None:
            continue
        tools = _tools(head, base, policy)
        writes = any(tool in _WRITES for tool in tools)
        if writes is (name == bases.writer) or bases.writer == bases.reader:
            return base, tools
    raise _Refused(f"there is no role {bases.writer} or {bases.reader} that it could extend")


def _tools(head: FrontMatter, base: Role, policy: Policy) -> tuple[ToolClass, ...]:
    """Give the classes of all tools that are named, or all where none are."""
    profile = policy.agent_for(base.tier)
    named = _named(head, "tools")
    denied = {class_of(word, profile) for word in _named(head, "disallowedTools") or ()}
    wanted = tuple(ToolClass) if named is None else (class_of(word, profile) for word in named)
    found = dict.fromkeys(tool for tool in wanted if tool is not None and tool not in denied)
    for word in (*(named or ()), *(_named(head, "disallowedTools") or ())):
        if class_of(word, profile) is None:
            raise _Refused(f"names a tool that nobody knows: {one_line(word, WORD_BYTES)}")
    return tuple(found)


def _named(head: FrontMatter, word: str) -> tuple[str, ...] | None:
    """Give the tools behind a word but our own; none where it is not there."""
    if word not in head.words:
        return None
    given: Given = head.words[word]
    if given is None:
        raise _Refused(f"its {word} are no list of names")
    names = given.split(",") if isinstance(given, str) else given
    found = tuple(name.strip() for name in names if name.strip())
    if not found or len(found) > WORDS_MOST:
        raise _Refused(f"its {word} name none, or more than {WORDS_MOST}; leave it out for all")
    return tuple(name for name in found if not is_ours(name))


def _warnings(head: FrontMatter, base: Role, lost: tuple[ToolClass, ...]) -> tuple[str, ...]:
    """Say what of a file is not taken."""
    said: list[str] = []
    if head.words.get("model") not in (None, "inherit"):
        said.append("its model is not looked at: the tier of a role says who plays it")
    if lost and "tools" in head.words:
        said.append(f"{base.name} has no {', '.join(lost)}, so it has none either")
    others = [one_line(word, WORD_BYTES) for word in head.words if word not in _USED]
    if others:
        said.append(f"not looked at: {', '.join(others[:WORDS_MOST])}")
    return tuple(said)
