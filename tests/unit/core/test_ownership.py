from subsessiond.core.ownership import WARNINGS
from subsessiond.model.brief import Grant
from subsessiond.model.decision import Admitted
from subsessiond.model.events import NodeAdmitted
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import PERSON, blocked, final, open_root, release, spawn, succeed
from tests.support.playbook import Play, play, said
from tests.support.world import at_work, gone, started


def two_leads() -> Play:
    """Begin with a lead that owns `src`, and another one beside it."""
    now = play() >> open_root() >> spawn("lead", role="lead", owns="src/**") >> started("lead")
    return now >> spawn("other", role="lead", owns="docs/**") >> started("other")


def rejection(now: Play) -> Rejection:
    """Give the refusal that a play has come to."""
    assert isinstance(now.reply, Rejection)
    return now.reply


def test_a_root_lends_whatever_is_in_its_workspace() -> None:
    """Below a root only the claims of others count."""
    _ = play() >> open_root() >> spawn("x", owns=("anything/**", "b")) << NodeAdmitted


def test_a_pattern_lies_inside_one_pattern_of_the_parents() -> None:
    """The refusal shows both spellings and the nearest pattern the parent owns."""
    now = two_leads()
    _ = now >> spawn("x", under="lead", owns="src/app/*") << NodeAdmitted
    asked = spawn("x", under="lead", owns="lib/*", spelled=("./lib/*",))
    now = now >> asked << Code.SCOPE_OUTSIDE_PARENT
    assert rejection(now).paths == ("./lib/*", "lib/*")
    assert "src/**" in rejection(now).detail


def test_a_parent_without_files_lends_none() -> None:
    """Whoever reads only has children that read only."""
    now = at_work(play(), "lead", role="lead") >> spawn("x", under="lead", owns="a")
    assert rejection(now << Code.SCOPE_OUTSIDE_PARENT).detail == "it owns no files"


def test_two_nodes_never_hold_the_same_files() -> None:
    """The refusal names the other node, both spellings and a path that both would hold."""
    now = (
        play()
        >> open_root()
        >> spawn("w", owns="a/*")
        >> spawn("x", owns="*/b")
        << (Code.SCOPE_OVERLAP)
    )
    assert rejection(now).sibling == now.id("w")
    assert rejection(now).paths == ("*/b", "a/*", "a/b")


def test_roots_on_one_workspace_meet() -> None:
    """A claim counts in the whole workspace, and not in another one."""
    now = play() >> open_root("one") >> open_root("two") >> open_root("far", workspace="/elsewhere")
    now = now >> spawn("w", under="one", owns="a")
    _ = now >> spawn("x", under="two", owns="a") << Code.SCOPE_OVERLAP
    _ = now >> spawn("x", under="far", owns="a") << NodeAdmitted


def nested() -> Play:
    """Begin with roots on a repository, a folder in it and one beside that."""
    now = play() >> open_root("repo", workspace="/r") >> open_root("pkg", workspace="/r/pkg")
    return now >> open_root("next", workspace="/r/pkg2")


def test_a_claim_counts_in_the_folder_above() -> None:
    """The same file under its longer name is the same file; both spellings are told."""
    now = nested() >> spawn("w", under="pkg", owns="src/*.py")
    now = now >> spawn("x", under="repo", owns="*/src/a.py") << Code.SCOPE_OVERLAP
    assert rejection(now).sibling == now.id("w")
    assert rejection(now).paths == ("*/src/a.py", "/r/pkg/src/*.py", "pkg/src/a.py")
    _ = now >> spawn("x", under="repo", owns="pkg/lib") << NodeAdmitted
    _ = now >> spawn("x", under="next", owns="src/*.py") << NodeAdmitted


def test_a_claim_counts_in_the_folder_below() -> None:
    """Whoever holds the outer folder holds the inner one."""
    now = nested() >> spawn("w", under="repo", owns=("docs", "pkg/{src,lib}/**"))
    now = now >> spawn("x", under="pkg", owns="src/a") << Code.SCOPE_OVERLAP
    assert rejection(now).paths == ("src/a", "/r/pkg/{src,lib}/**", "src/a")
    _ = now >> spawn("x", under="pkg", owns="docs") << NodeAdmitted
    allowed = now >> spawn("x", under="pkg", owns="src/a", allow_overlap=True) << NodeAdmitted
    assert allowed.node("x").overlaps == (now.id("w"),)


def test_a_released_claim_counts_nowhere() -> None:
    """What is free in one folder is free in those above and below."""
    now = nested() >> spawn("w", under="pkg", owns="a") >> started("w") >> final("w")
    _ = now >> spawn("x", under="repo", owns="pkg") << Code.SCOPE_OVERLAP
    _ = now >> gone("w") >> spawn("x", under="repo", owns="pkg") << NodeAdmitted


def test_the_claims_of_ancestors_do_not_count() -> None:
    """What a child owns is lent by those above it; cousins still do not share."""
    now = two_leads() >> spawn("w", under="lead", owns="src/a")
    _ = now >> spawn("x", under="lead", owns="src/a/b") << Code.SCOPE_OVERLAP
    _ = now >> spawn("x", under="lead", owns="src/c") << NodeAdmitted


def test_a_claim_is_held_until_the_release() -> None:
    """S08: settling frees the slot, only the end of its processes frees the files."""
    now = at_work(play(), "w", owns="a") >> final("w")
    _ = now >> spawn("x", owns="a") << Code.SCOPE_OVERLAP
    _ = now >> gone("w") >> spawn("x", owns="a") << NodeAdmitted
    stuck = now >> gone("w", "pid 7") >> spawn("x", owns="a") << Code.SCOPE_OVERLAP
    _ = stuck >> release("w") >> spawn("x", owns="a") << NodeAdmitted


def test_an_allowed_overlap_is_recorded_and_said() -> None:
    """The record and the answer name whom it meets; the parent's bounds still hold."""
    now = two_leads() >> spawn("w", under="lead", owns="src/a")
    now = now >> spawn("x", under="lead", owns="src/*", allow_overlap=True)
    now = now << said(Admitted, "x", warnings=(f"shares files with {now.id('w')}, as allowed",))
    assert now.node("x").overlaps == (now.id("w"),)
    _ = (
        now
        >> spawn("y", under="lead", owns="lib", allow_overlap=True)
        << (Code.SCOPE_OUTSIDE_PARENT)
    )


def test_many_overlaps_are_counted_and_not_listed() -> None:
    """A warning is bounded however many nodes are met."""
    now = play(live_per_parent=None, spawn_burst=100) >> open_root()
    for number in range(WARNINGS + 2):
        now = now >> spawn(f"w{number}", owns=f"a/{number}")
    patterns = tuple(f"a/{number}" for number in range(WARNINGS + 2))
    now = now >> spawn("x", owns=patterns, allow_overlap=True)
    assert isinstance(now.reply, Admitted)
    assert len(now.reply.warnings) == WARNINGS + 1
    assert now.reply.warnings[-1] == "and with 2 more"


def test_a_successor_takes_its_predecessors_claim_over() -> None:
    """It meets the predecessor, and only the predecessor, while that still holds its files."""
    now = at_work(play(), "w", owns="a") >> final("w")
    now = now >> succeed("heir", "w") << said(NodeAdmitted, "heir")
    assert now.node("heir").owns == ("a",)
    _ = now >> spawn("x", owns="a") << Code.SCOPE_OVERLAP


def test_a_grant_lends_what_the_parent_lacks_but_never_what_another_holds() -> None:
    """However the operator spelled it, its normal form counts."""
    now = two_leads() >> spawn("w", under="lead", owns="src/a") >> blocked("w") >> gone("w")
    grant = Grant(globs=("./link/*", "docs/x"))
    outside = succeed("heir", "w", by=PERSON, grant=grant, owns=("lib/*",), spelled=("./link/*",))
    now_granted = now >> outside << said(NodeAdmitted, "heir")
    assert now_granted.node("heir").owns == ("src/a", "lib/*")
    met = succeed("heir", "w", by=PERSON, grant=grant, owns=("docs/x",))
    _ = now >> met << Code.SCOPE_OVERLAP
    ungranted = succeed("heir", "w", by=PERSON, grant=grant, owns=("lib/*", "etc/*"))
    _ = now >> ungranted << Code.SCOPE_OUTSIDE_PARENT


def test_an_owner_without_spelling_is_shown_in_its_normal_form() -> None:
    """Where the edge stamped no spelling, the refusal shows what was judged."""
    now = two_leads()
    plain = now >> spawn("x", under="lead", owns=("src/q", "lib/*"), spelled=("src/q",))
    assert rejection(plain << Code.SCOPE_OUTSIDE_PARENT).paths[0] == "lib/*"


def lender(*owns: str) -> Play:
    """Begin with a lead that owns these."""
    return play() >> open_root() >> spawn("lead", role="lead", owns=owns) >> started("lead")


def test_a_pattern_of_the_parents_can_be_lent_whole() -> None:
    """However many it has, and however odd they are."""
    owns = tuple(f"*{number}*a*b*c*/**" for number in range(200))
    _ = lender(*owns) >> spawn("x", under="lead", owns=owns[::-1]) << NodeAdmitted


def test_many_patterns_are_found_inside_many() -> None:
    """What is written out sorts them, so that 200 in 200 is no more than 200 in one."""
    now = lender(*(f"src/m{number}/**" for number in range(200)))
    inner = tuple(f"src/m{number}/{{a,b/c}}.py" for number in reversed(range(200)))
    _ = now >> spawn("x", under="lead", owns=inner) << NodeAdmitted
    _ = now >> spawn("x", under="lead", owns=(*inner, "src/m7")) << NodeAdmitted
    _ = now >> spawn("x", under="lead", owns=(*inner, "src/{m7,n7}")) << Code.SCOPE_OUTSIDE_PARENT


def test_patterns_built_to_explode_are_refused_and_not_followed() -> None:
    """Past the steps of one brief the answer is the safe one; the daemon goes on."""
    now = lender(*(f"{'*a' * (number % 20 + 1)}*b{number}/**" for number in range(200)))
    inner = tuple(f"{'a*' * 20}{number}/q" for number in range(200))
    _ = now >> spawn("x", under="lead", owns=inner) << Code.SCOPE_OUTSIDE_PARENT


def test_a_pattern_with_a_fault_is_named_once() -> None:
    """What the edge has found wrong with a pattern is not told again in other words."""
    now = play() >> open_root()
    now = now >> spawn("a", owns=("", "a/*"), path_faults=("brief.ownedGlobs[0]",))
    fields = rejection(now << Code.BRIEF_INVALID).fields
    assert [fault.path for fault in fields] == ["brief.ownedGlobs[0]"]
