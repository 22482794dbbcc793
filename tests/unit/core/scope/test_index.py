import os
import random
import subprocess
import sys

import pytest

from subsessiond.core.scope import ClaimIndex, Clash, Meeting, Pattern, parse_pattern
from tests.support import claims

NOBODY: frozenset[str] = frozenset()


def patterns(*texts: str) -> tuple[Pattern, ...]:
    """Parse what must be patterns."""
    found = tuple(parse_pattern(text) for text in texts)
    return tuple(one for one in found if isinstance(one, Pattern))


def index_of(**owned: str) -> ClaimIndex:
    """Claim for each owner the patterns listed with spaces between them."""
    index = ClaimIndex()
    for owner, texts in owned.items():
        index = index.with_claim(owner, patterns(*texts.split()))
    return index


INDEX = index_of(
    ann="src/app/** docs/*.md",
    ben="src/lib/x.py src/*_test.py",
    cat="themes/**/*.css {web,www}/*/static",
    dan="src/*/deep/y.py",
)


@pytest.mark.parametrize(
    ("text", "owner", "theirs"),
    [
        ("src/app/x.py", "ann", "src/app/**"),
        ("src/app", "ann", "src/app/**"),
        ("docs", "ann", "docs/*.md"),
        ("docs/?*.md", "ann", "docs/*.md"),
        ("src/lib/*.py", "ben", "src/lib/x.py"),
        ("src/lib/x.py", "ben", "src/lib/x.py"),
        ("src/a_*.py", "ben", "src/*_test.py"),
        ("src/*_test.py", "ben", "src/*_test.py"),
        ("www/a/static/*.png", "cat", "{web,www}/*/static"),
        ("w*/[ab]/s*", "cat", "{web,www}/*/static"),
        ("themes/*.css", "cat", "themes/**/*.css"),
        ("src/q/deep/*.py", "dan", "src/*/deep/y.py"),
        ("*/app/*.py", "ann", "src/app/**"),
        ("**/z", "ann", "src/app/**"),
    ],
)
def test_the_first_meeting_names_owner_and_pattern(text: str, owner: str, theirs: str) -> None:
    """A claim that shares a path is found, wherever the magic stands."""
    found = INDEX.first_meeting(patterns(text)[0], NOBODY)
    assert found is not None
    assert (found.owner, found.pattern.text) == (owner, theirs)
    assert not found.meeting.conservative


@pytest.mark.parametrize(
    "text",
    ["x/*.ts", "src/*.js", "src/a_test.py/z", "w*/[ab]/t*.js", "themes/**/*.ts", "docs/*.mdx"],
)
def test_a_pattern_that_meets_no_claim_is_free(text: str) -> None:
    """Claims nearby that share no path are no reason to refuse."""
    assert INDEX.first_meeting(patterns(text)[0], NOBODY) is None


def test_exempt_owners_do_not_count() -> None:
    """Ancestors are exempt, as a set of owners or by a question."""
    asked = patterns("src/app/deep/y.py")[0]
    assert INDEX.first_meeting(asked, frozenset({"ann", "dan"})) is None
    assert INDEX.first_meeting(asked, lambda owner: owner in "ann dan") is None
    found = INDEX.first_meeting(asked, frozenset({"ann"}))
    assert found is not None
    assert found.owner == "dan"


def test_meetings_are_listed_once_and_up_to_a_limit() -> None:
    """Each claimed pattern comes once, though several of its alternatives meet."""
    index = index_of(ann="{a,b}/x b/*", ben="b/x", cat="c")
    everything = index.meetings(patterns("**")[0], NOBODY, 10)
    assert sorted((clash.owner, clash.pattern.text) for clash in everything) == [
        ("ann", "b/*"),
        ("ann", "{a,b}/x"),
        ("ben", "b/x"),
        ("cat", "c"),
    ]
    assert index.meetings(patterns("**")[0], NOBODY, 2) == everything[:2]
    assert index.meetings(patterns("**")[0], NOBODY, 0) == ()
    assert index.meetings(patterns("d")[0], NOBODY, 10) == ()


def test_several_patterns_are_asked_in_their_order() -> None:
    """The first pattern that meets anything is returned with what it meets."""
    asked = patterns("x/*.ts", "src/lib/x.py/a.b", "src/app/x")
    found = INDEX.first_meeting_of(asked, NOBODY)
    assert found is not None
    assert found[0] == asked[1]
    assert found[1].owner == "ben"
    assert INDEX.first_meeting_of(asked[:1], NOBODY) is None
    assert INDEX.first_meeting_of((), NOBODY) is None


def test_releasing_a_claim_restores_the_index() -> None:
    """With a claim and without it again is the same value; claiming twice is claiming once."""
    more = patterns("src/app/**", "src/*_test.py", "{web,q}/*/static", "new/*/x")
    grown = INDEX.with_claim("eve", more)
    assert grown != INDEX
    assert grown.with_claim("eve", more) == grown
    assert grown.without("eve", more) == INDEX
    assert INDEX.without("eve", more) == INDEX
    assert INDEX.without("ann", more[:1]).without("ann", patterns("docs/*.md")) == index_of(
        ben="src/lib/x.py src/*_test.py",
        cat="themes/**/*.css {web,www}/*/static",
        dan="src/*/deep/y.py",
    )


def test_the_order_of_claiming_leaves_no_trace() -> None:
    """Equal claims are an equal index with equal answers, also with hundreds of siblings."""
    owned = [(f"n{i}", patterns(f"src/*_{i}.py", f"src/m{i}/*.py", f"src/{i}*")) for i in range(60)]
    shuffled = random.Random(5).sample(owned, len(owned))
    one, other = ClaimIndex(), ClaimIndex()
    for owner, texts in owned:
        one = one.with_claim(owner, texts)
    for owner, texts in shuffled:
        other = other.with_claim(owner, texts)
    assert one == other
    asked = patterns("src/**")[0]
    assert one.meetings(asked, NOBODY, 500) == other.meetings(asked, NOBODY, 500)
    assert len(one.meetings(asked, NOBODY, 500)) == 180


ASK = """
from subsessiond.core.scope import ClaimIndex, Pattern
index = ClaimIndex()
for i in range(40):
    index = index.with_claim(f"n{i}", (Pattern(f"src/*_{i}.py"), Pattern(f"lib/m{i}/**")))
for text in ("**", "src/*1*.py", "lib/*", "*/*"):
    print([clash.owner for clash in index.meetings(Pattern(text), frozenset(), 100)])
"""


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    """Two processes with other seeds list the same claims in the same order."""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", ASK],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=20,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"'n1'") == 6


@pytest.mark.scenario("S33")
def test_ten_thousand_like_claims_are_told_apart_in_few_steps() -> None:
    """Claims that share all but the end of one name cost a question next to nothing."""
    index = claims.index_of(claims.alike_in_front, 2_000)
    asked = patterns("src/*_new.py", "src/a_*_5x.py", "src/new_1.py", "src/*.css")
    assert index.first_meeting_of(asked, NOBODY, step_budget=200) is None
    met = index.first_meeting_of(patterns("src/new_77_1.py"), NOBODY, step_budget=200)
    assert met is not None
    assert met[1] == Clash("n77", Pattern("src/*_77_1.py"), Meeting("src/new_77_1.py"))


@pytest.mark.scenario("S33")
def test_two_hundred_siblings_with_fifty_hostile_patterns_end_in_a_refusal() -> None:
    """When the steps run out the brief is taken to meet a claim that counts, if there is one."""
    index = claims.index_of(claims.hostile, 200)
    asked = patterns(*(f"src/*q*r*s*t*u*v*w*x*y*z*{k}?_" for k in range(50)))
    assert len(asked) == 50
    met = index.first_meeting_of(asked, NOBODY)
    assert met is not None
    assert met[1].meeting.conservative is (met[1].meeting.witness is None)
    assert index.first_meeting_of(asked, lambda _owner: True) is None
    last = index.first_meeting_of(asked, lambda owner: owner != "n199", step_budget=100)
    assert last is not None
    assert last[1].owner == "n199"
    assert last[1].meeting == Meeting(None, conservative=True)


def test_a_spent_budget_lists_one_claim_for_all_it_could_not_look_at() -> None:
    """Warnings name what was found and end with one that is assumed."""
    index = claims.index_of(claims.ordinary, 30)
    known = index.meetings(patterns("*/*/x*.md")[0], NOBODY, 100)
    assert known
    assert not any(clash.meeting.conservative for clash in known)
    assumed = index.meetings(patterns("*/*/x*.md")[0], NOBODY, 100, step_budget=30)
    assert assumed[-1].meeting.conservative
    assert len(assumed) < len(known)


def test_the_deepest_pattern_fits() -> None:
    """A claim of two hundred and fifty-six segments is filed and found."""
    deep = patterns("a/" * 255 + "a")
    index = ClaimIndex().with_claim("ann", deep)
    found = index.first_meeting(deep[0], NOBODY)
    assert found is not None
    assert found.owner == "ann"
    assert index.without("ann", deep) == ClaimIndex()
