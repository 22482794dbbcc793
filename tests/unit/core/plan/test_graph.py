"""`core.plan.graph`."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from subsessiond.core.plan.graph import all_before, circle_in, needs_of
from tests.support.plans import a_plan, step

NAMES = st.sampled_from("abcdef")
GRAPHS = st.dictionaries(NAMES, st.frozensets(NAMES, max_size=3), max_size=6)


def test_a_step_waits_for_what_it_names_and_for_what_it_is_told() -> None:
    """Either way, once."""
    plan = a_plan(a=step(), b=step(), c=step("{{a.output}} {{a.files}}", "b"))
    assert needs_of(plan)["c"] == {"a", "b"}


def test_a_circle_is_named_from_one_of_its_steps_to_itself() -> None:
    """Steps that only wait for the circle are not in it."""
    plan = a_plan(a=step("x", "c"), b=step("{{a.output}}"), c=step("x", "b"), d=step("x", "a"))
    circle = circle_in(needs_of(plan))
    assert circle[0] == circle[-1]
    assert set(circle) == {"a", "b", "c"}


@given(GRAPHS)
def test_a_circle_is_found_where_there_is_one(needs: dict[str, frozenset[str]]) -> None:
    """By brute force: some step comes after itself. Without one, everything has an order."""
    reach = {name: set(before) & set(needs) for name, before in needs.items()}
    for _ in needs:
        for name in needs:
            reach[name] |= {far for near in reach[name] for far in reach[near]}
    circle = circle_in(needs)
    assert bool(circle) is any(name in reach[name] for name in needs)
    assert all(before in needs[name] for name, before in pairwise(circle))
    if not circle:
        known = {name: before & set(needs) for name, before in all_before(needs).items()}
        assert known == reach
