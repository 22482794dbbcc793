"""`core.nesting`: workspaces that hold one another."""

import pytest

from subsessiond.core.nesting import Near, around, claims_around, text_in
from subsessiond.core.scope import Pattern
from tests.support.moves import open_root, spawn
from tests.support.playbook import play

KNOWN = ("/", "/w", "/w/a", "/w/a/b", "/w/ab", "/x")


def test_those_above_and_below_share_files_and_those_beside_do_not() -> None:
    """Itself comes first; a name that only begins alike is another folder."""
    assert around("/w/a", KNOWN, fold_case=False) == (
        Near("/w/a", (), is_outer=True),
        Near("/", ("w", "a"), is_outer=True),
        Near("/w", ("a",), is_outer=True),
        Near("/w/a/b", ("b",), is_outer=False),
    )
    assert [near.workspace for near in around("/", KNOWN, fold_case=False)] == sorted(KNOWN)
    assert around("/y", KNOWN[1:], fold_case=False) == ()


def test_letter_case_counts_where_it_does_on_disk() -> None:
    """Two spellings of one folder are the same workspace where case is folded."""
    assert around("/W/A", ("/w/a", "/w"), fold_case=False) == ()
    near = around("/W/A", ("/w/a", "/w/a/B", "/w"), fold_case=True)
    assert [one.names for one in near] == [("a",), (), ("b",)]


def test_the_way_is_in_the_normal_form_of_patterns() -> None:
    """A name in decomposed letters is compared as composed ones are."""
    (near,) = around("/w", ("/w/e\u0301",), fold_case=False)
    assert near.names == ("\u00e9",)


def test_claims_are_given_with_their_workspaces() -> None:
    """Only those that hold any, in a stable order."""
    now = play() >> open_root("one", workspace="/w") >> open_root("two", workspace="/w/a")
    now = now >> open_root("far", workspace="/x")
    now = now >> spawn("a", under="two", owns="q") >> spawn("b", under="far", owns="q")
    found = claims_around(now.tree, "/w", fold_case=False)
    assert found.workspaces == ("/w/a",)
    assert [(claims.names, claims.is_outer) for claims in found.claims] == [(("a",), False)]


@pytest.mark.parametrize(
    ("workspace", "shown"), [("/w", "src/*"), ("/", "/src/*"), ("/w/[a]", "/w/\\[a]/src/*")]
)
def test_a_claim_elsewhere_is_written_out(workspace: str, shown: str) -> None:
    """Relative in one's own workspace, else absolute, as a pattern."""
    assert text_in(workspace, Pattern("src/*"), "/w") == shown
