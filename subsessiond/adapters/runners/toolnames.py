"""What an agent calls its tools, in the eight words of policy."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final

from subsessiond.model.role import AgentProfile, ToolClass

KINDS: Final[Mapping[str, tuple[ToolClass, ...]]] = MappingProxyType(
    {
        "read": (ToolClass.READ,),
        "edit": (ToolClass.EDIT,),
        "delete": (ToolClass.DELETE,),
        "move": (ToolClass.EDIT, ToolClass.DELETE),
        "search": (ToolClass.SEARCH,),
        "execute": (ToolClass.EXECUTE,),
        "think": (ToolClass.THINK,),
        "fetch": (ToolClass.FETCH,),
    }
)
"""The kinds of the Agent Client Protocol. `other` and what is not here say nothing."""


def classes_of(
    profile: AgentProfile,
    names: Iterable[str],
    kinds: Iterable[str] = (),
    titles: Iterable[str] = (),
) -> tuple[ToolClass, ...]:
    """Give all that a tool counts as, each of which must be allowed; empty = nobody knows.

    A name the profile spells out comes first, for its author knew the tool. The agent's own kinds
    come next, and a pattern with `*` last: a name may be a command that the model wrote, which
    could be made to fit a pattern, while the kind is the agent's own word.

    Args:
        profile: what the agent calls its tools.
        names: of the tool, in the agent's own words.
        kinds: what the agent says that it does.
        titles: for people. One may be a name, and may be a command: so the kinds count beside it.
    """
    called, titled = tuple(names), tuple(titles)
    if exact := _spelled(profile, called):
        return _once(exact)
    own = [found for kind in kinds for found in KINDS.get(kind, ())]
    if known := [*_spelled(profile, titled), *own]:
        return _once(known)
    wide = [_first_fit(profile, name) for name in (*called, *titled)]
    return _once(found for found in wide if found is not None)


def _spelled(profile: AgentProfile, names: Iterable[str]) -> list[ToolClass]:
    spelled = dict(profile.tools)
    return [spelled[name] for name in names if name in spelled and "*" not in name]


def _first_fit(profile: AgentProfile, name: str) -> ToolClass | None:
    fits = (found for pattern, found in profile.tools if fnmatchcase(name, pattern))
    return next(fits, None)


def _once(classes: Iterable[ToolClass]) -> tuple[ToolClass, ...]:
    return tuple(dict.fromkeys(classes))
