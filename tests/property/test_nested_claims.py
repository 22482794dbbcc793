"""Claims in workspaces that hold one another, against every file of a small world."""

import itertools

from hypothesis import assume, example, given
from hypothesis import strategies as st

from subsessiond.core.nesting import claims_around
from subsessiond.core.scope import Pattern, covers, meetings_of, parse_pattern
from subsessiond.model.rejection import Code, Rejection
from tests.property.test_scope import TEXTS
from tests.support.moves import open_root, spawn
from tests.support.playbook import Play, play

NAMES = ("a", "b", "ab", ".a", "x.a", "*")
FILES = tuple(
    "/".join(names)
    for length in (1, 2, 3, 4)
    for names in itertools.product(NAMES if length < 4 else ("a", "b", "x.a"), repeat=length)
)
PLACES = ("/", "/a", "/a/b", "/ab", "/a/x.a", "/a/*", "/b/a/b")


def files_of(workspace: str, pattern: Pattern) -> frozenset[str]:
    """List the files of the world that a pattern of a workspace covers."""
    way = workspace.strip("/") + "/" if workspace != "/" else ""
    inside = (file for file in FILES if file.startswith(way))
    return frozenset(file for file in inside if covers(pattern, file[len(way) :]))


def whole(workspace: str, path: str) -> str:
    """Name a path of a workspace from the top of the world."""
    return f"{workspace.strip('/')}/{path}".strip("/")


CLAIMS = st.lists(st.tuples(st.sampled_from(PLACES), TEXTS), min_size=1, max_size=6)


@given(CLAIMS, st.sampled_from(PLACES), TEXTS)
@example([("/", "a/*.a")], "/a/x.a", "**")
@example([("/a/x.a", "**")], "/", "a/*.a")
@example([("/a/*", "b")], "/", "a/\\*/b")
@example([("/b/a/b", "a")], "/", "**/a/b/a")
def test_a_claim_is_refused_exactly_when_it_shares_a_file_with_one_that_is_held(
    claims: list[tuple[str, str]], place: str, text: str
) -> None:
    """Whatever the folders, no file is held twice, and each refusal is shown with a file."""
    now = world()
    held: dict[str, tuple[str, Pattern]] = {}
    for number, (workspace, owned) in enumerate((*claims, (place, text))):
        pattern = parse_pattern(owned)
        assume(isinstance(pattern, Pattern))
        assert isinstance(pattern, Pattern)
        name = f"w{number}"
        after = now >> spawn(name, under=workspace, owns=pattern.text)
        mine = files_of(workspace, pattern)
        shared = [label for label, one in held.items() if mine & files_of(*one)]
        if isinstance(after.reply, Rejection):
            is_shown(after, workspace, pattern, held)
        else:
            assert not shared, (workspace, owned, shared)
            now, held[name] = after, (workspace, pattern)


def is_shown(
    now: Play, workspace: str, pattern: Pattern, held: dict[str, tuple[str, Pattern]]
) -> None:
    """Check that a refusal names a holder, and a file that both would hold."""
    assert isinstance(now.reply, Rejection)
    assert now.reply.code is Code.SCOPE_OVERLAP
    assert now.reply.sibling is not None
    _, _, witness = now.reply.paths
    theirs, claimed = held[now.label(now.reply.sibling) or ""]
    assert covers(pattern, witness)
    full, way = whole(workspace, witness), whole(theirs, "")
    assert full.startswith(way and way + "/")
    assert covers(claimed, full.removeprefix(way).lstrip("/"))


def world() -> Play:
    """Open a root in every folder, with room for many children."""
    now = play(live_per_parent=None, live_per_tree=None, spawn_burst=100)
    for place in PLACES:
        now = now >> open_root(place, workspace=place)
    return now


@given(CLAIMS, TEXTS, st.integers(0, 40))
def test_few_steps_never_hide_a_meeting(
    claims: list[tuple[str, str]], text: str, steps: int
) -> None:
    """With a short budget the answer is the same, or that it could not be told."""
    now = world()
    for number, (workspace, owned) in enumerate(claims):
        pattern = parse_pattern(owned)
        assume(isinstance(pattern, Pattern))
        assert isinstance(pattern, Pattern)
        command = spawn(f"w{number}", under=workspace, owns=pattern.text, allow_overlap=True)
        now = now >> command
    asked = parse_pattern(text)
    assume(isinstance(asked, Pattern))
    assert isinstance(asked, Pattern)
    for place in PLACES:
        others = claims_around(now.tree, place, fold_case=False).claims
        if any(True for _ in meetings_of((asked,), others, frozenset())):
            assert any(True for _ in meetings_of((asked,), others, frozenset(), step_budget=steps))
