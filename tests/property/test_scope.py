"""The glob algebra against brute force: every path of a small world, matched the slow way."""

import itertools
import re
from functools import lru_cache

from hypothesis import assume, example, given
from hypothesis import strategies as st

from subsessiond.core.scope import (
    ClaimIndex,
    Pattern,
    covers,
    escape,
    expand,
    includes,
    intersect,
    normal_path,
    parse_pattern,
)

NAMES = tuple(
    "".join(letters)
    for length in (1, 2, 3)
    for letters in itertools.product("ab.", repeat=length)
    if "".join(letters) not in (".", "..")
)
SHORT = tuple(name for name in NAMES if len(name) < 3)
PATHS = (
    *NAMES,
    *("/".join(pair) for pair in itertools.product(NAMES, SHORT)),
    *("/".join(pair) for pair in itertools.product(SHORT, NAMES)),
    *("/".join(three) for three in itertools.product(SHORT, repeat=3)),
)


# The slow way: braces by textual substitution, one regular expression a segment.


DEEP = re.compile(r"(?<!\*)\*\*(?!\*)")
"""Two stars written side by side, as long as braces are not taken apart."""


def without_braces(text: str) -> list[str]:
    """Replace the innermost braces by each of their options, until none are left."""
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    options = found[1].split(",")
    tried = (text[: found.start()] + option + text[found.end() :] for option in options)
    return [plain for one in tried for plain in without_braces(one)]


def segments_of(text: str) -> list[str]:
    """Split a brace-free text and resolve its dots."""
    kept: list[str] = []
    for segment in text.split("/"):
        if segment == "..":
            kept.pop()
        elif segment not in ("", "."):
            kept.append("**" if segment == "<>" else re.sub(r"[*<>]+", "*", segment))
    return [*kept, "**"] if text.endswith("/") or not kept else kept


@lru_cache(maxsize=10_000)
def matches(segment: str, name: str) -> bool:
    """Match one name against one segment."""
    pieces = re.findall(r"\*+|\?|\[[^]]*\]|.", segment)
    spelled = {"?": ".", "*": ".*"}
    regex = "".join(
        spelled.get(p[0]) or (p.replace("!", "^") if p[0] == "[" else re.escape(p)) for p in pieces
    )
    return re.fullmatch(regex, name) is not None


def matches_all(segments: list[str], names: list[str]) -> bool:
    """Match all names of a path, in the open."""
    if not segments:
        return not names
    if segments[0] == "**":
        return any(matches_all(segments[1:], names[at:]) for at in range(len(names) + 1))
    return bool(names) and matches(segments[0], names[0]) and matches_all(segments[1:], names[1:])


def names_files(segments: list[str]) -> bool:
    """Tell whether the last segment is a wildcard with an extension."""
    return re.search(r"[*?\]][^*?\]]*\.[^*?\].]+$", segments[-1]) is not None


def reaches(text: str, path: str, *, below_files: bool = False) -> bool:
    """Tell whether a pattern covers a path, or would if all its matches were folders."""
    names = path.split("/")
    return any(
        matches_all(segments, names[:length])
        for segments in map(segments_of, without_braces(DEEP.sub("<>", text)))
        for length in range(1, len(names) + 1)
        if length == len(names) or below_files or not names_files(segments)
    )


SEGMENTS = st.one_of(
    st.sampled_from(["a", "b", "ab", "*", "**", "?", "*.a", "*.b", "a*", ".a", "..", "."]),
    st.lists(
        st.sampled_from(["a", "b", ".", "*", "?", "[ab]", "[!a]", "{a,b}", "{,b}"]),
        min_size=1,
        max_size=4,
    ).map("".join),
)
TEXTS = st.one_of(
    st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join),
    st.tuples(SEGMENTS, SEGMENTS, SEGMENTS).map("{{{0[0]}/{0[1]},{0[2]}}}".format),
    st.tuples(SEGMENTS, SEGMENTS, SEGMENTS).map("{0[0]}/{{{0[1]},{0[2]}/b}}/".format),
)


def parsed(text: str) -> Pattern:
    """Parse a generated text, passing over those that are refused."""
    found = parse_pattern(text)
    assume(isinstance(found, Pattern))
    assert isinstance(found, Pattern)
    return found


@given(TEXTS)
@example("{a/b,*}/../[!a]")
@example("{**,a}b/**")
@example("**{,b}/a")
@example("*{,b}*/a")
def test_a_pattern_covers_what_the_slow_way_says(text: str) -> None:
    """Covering agrees with brute force on every path of the small world."""
    pattern = parsed(text)
    assert [p for p in PATHS if covers(pattern, p)] == [p for p in PATHS if reaches(text, p)]


@given(TEXTS)
def test_the_normal_form_is_normal_and_means_the_same(text: str) -> None:
    """Parsing a normal text gives it back, and taking braces apart changes nothing."""
    pattern = parsed(text)
    assert parse_pattern(pattern.text) == pattern
    apart = expand(pattern)
    assert all(parse_pattern(one.text) == one for one in apart)
    for path in PATHS[::7]:
        assert covers(pattern, path) == any(covers(one, path) for one in apart)


@given(st.text(alphabet="ab/.*?[]!{},\\-^é\u0301A", max_size=24))
def test_any_text_is_a_pattern_or_refused_with_a_reason(text: str) -> None:
    """Nothing that can be written makes the parser fail, and what it accepts is stable."""
    for fold_case in (False, True):
        found = parse_pattern(text, fold_case=fold_case)
        if isinstance(found, Pattern):
            assert parse_pattern(found.text, fold_case=fold_case) == found
            assert found.alternatives
            met = intersect(found, found)
            assert met is not None
            assert covers(found, met.witness or "")
        else:
            assert found.reason


@given(st.text(min_size=1, max_size=12))
def test_an_escaped_path_covers_itself(text: str) -> None:
    """A file of any name can be claimed."""
    path = normal_path(text)
    assume(isinstance(path, str))
    assert isinstance(path, str)
    pattern = parsed("/".join(escape(name) for name in path.split("/")))
    assert covers(pattern, path)


@given(TEXTS, TEXTS)
@example("**/*.a", "**/*.b")
@example("[.a]", "[.b]")
def test_patterns_that_share_a_path_are_never_disjoint(left: str, right: str) -> None:
    """None means no shared path, and a witness is covered by both, here and the slow way."""
    one, other = parsed(left), parsed(right)
    met = intersect(one, other)
    assert (met is None) == (intersect(other, one) is None)
    if met is None:
        assert not [path for path in PATHS if reaches(left, path) and reaches(right, path)]
    else:
        assert met.witness is not None
        assert covers(one, met.witness)
        assert covers(other, met.witness)
        assert reaches(left, met.witness)
        assert reaches(right, met.witness)


@given(TEXTS, TEXTS, st.integers(0, 40))
def test_a_short_budget_never_turns_a_meeting_into_none(left: str, right: str, steps: int) -> None:
    """With fewer steps the answer is the same or conservative."""
    one, other = parsed(left), parsed(right)
    short = intersect(one, other, step_budget=steps)
    assert short == intersect(one, other) or (short is not None and short.conservative)
    assert includes(one, other) or not includes(one, other, step_budget=steps)


@given(TEXTS, TEXTS)
@example("*.a", "a.a")
@example("**/*", "**")
def test_inclusion_is_never_claimed_wrongly(outer: str, inner: str) -> None:
    """All paths of an included pattern are within, folders called `x.a` with their content."""
    assert includes(parsed(outer), parsed(outer))
    if includes(parsed(outer), parsed(inner)):
        inside = (path for path in PATHS if reaches(inner, path, below_files=True))
        assert all(reaches(outer, path, below_files=True) for path in inside)


OWNERS = st.sampled_from(["ann", "ben", "cat"])
CLAIMS = st.lists(st.tuples(OWNERS, TEXTS.filter(lambda t: isinstance(parse_pattern(t), Pattern))))


@given(CLAIMS, CLAIMS, TEXTS, st.frozensets(OWNERS))
def test_the_index_answers_as_a_scan_of_all_claims_would(
    claims: list[tuple[str, str]],
    released: list[tuple[str, str]],
    asked: str,
    exempt: frozenset[str],
) -> None:
    """Claims made and released in any order leave exactly those that were not released."""
    index, held = ClaimIndex(), set[tuple[str, Pattern]]()
    for owner, text in (*claims, *released):
        index = index.with_claim(owner, (parsed(text),))
        held.add((owner, parsed(text)))
    for owner, text in released:
        index = index.without(owner, (parsed(text),))
        held.discard((owner, parsed(text)))
    fresh = ClaimIndex()
    for owner, pattern in sorted(held):
        fresh = fresh.with_claim(owner, (pattern,))
    assert index == fresh

    pattern = parsed(asked)
    wanted = {(o, p) for o, p in held if o not in exempt and intersect(pattern, p)}
    found = index.meetings(pattern, exempt, 1_000)
    assert sorted((clash.owner, clash.pattern) for clash in found) == sorted(wanted)
    assert index.first_meeting(pattern, exempt) == (found[0] if found else None)
