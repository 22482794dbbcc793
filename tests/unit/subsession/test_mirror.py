"""A copy of the tree that is kept current."""

from subsession.mirror import Ask, Mirror, Steps, wait_settled
from subsession.verbs import Json


def play(steps: Steps, answers: list[Json]) -> list[Ask]:
    """Run steps on prepared answers and give the calls they made."""
    asked = []
    left = iter(answers)
    try:
        asked.append(next(steps))
        while True:
            asked.append(steps.send(next(left)))
    except StopIteration:
        assert not list(left)
        return asked


def page(seq: int, *rows: Json, resync: bool = False, after: str | None = None) -> Json:
    """Give one answer of `subsession.tree`."""
    found: Json = {"rows": list(rows), "seq": seq, "resync": resync}
    return found if after is None else {**found, "next": after}


def row(name: str, state: str = "running") -> Json:
    """Give one row."""
    return {"nodeId": name, "state": state}


def test_pages_are_read_to_the_end() -> None:
    """Every page is fetched by its cursor; the first page's number is where to go on."""
    mirror = Mirror()
    asked = play(mirror.refresh(), [page(5, row("a"), after="a"), page(7, row("b"))])
    assert [ask.params["after"] for ask in asked] == [None, "a"]
    assert list(mirror.rows) == ["a", "b"]
    assert mirror.seq == 5


def test_only_changes_are_asked_for_later() -> None:
    """The second time, the cursor goes along, and a wait of the asker's choice."""
    mirror = Mirror("root")
    play(mirror.refresh(), [page(5, row("a"), row("b"))])
    (ask,) = play(mirror.refresh(900), [page(6, row("b", "settled"))])
    assert ask.params["sinceSeq"] == 5
    assert ask.params["waitMs"] == 900
    assert ask.params["rootId"] == "root"
    assert mirror.is_settled("b")
    assert not mirror.is_settled("a")


def test_a_cursor_too_old_means_beginning_again() -> None:
    """After a resync what has gone is forgotten, and only once all is read anew."""
    mirror = Mirror()
    play(mirror.refresh(), [page(5, row("gone"))])
    asked = play(mirror.refresh(900), [page(90, resync=True), page(91, row("a"), resync=True)])
    assert asked[1].params["sinceSeq"] is None
    assert list(mirror.rows) == ["a"]


def test_waiting_for_all_ends_with_the_last() -> None:
    """All nodes named have to settle."""
    mirror = Mirror()
    steps = wait_settled(mirror, ["a", "b"], any_of=False, timeout_ms=None)
    answers = [
        page(1, row("a"), row("b")),
        page(2, row("a", "settled")),
        page(3, row("b", "released")),
    ]
    assert len(play(steps, answers)) == 3


def test_waiting_for_any_ends_with_the_first() -> None:
    """One node settled is enough."""
    mirror = Mirror()
    steps = wait_settled(mirror, ["a", "b"], any_of=True, timeout_ms=None)
    assert len(play(steps, [page(1, row("a"), row("b")), page(2, row("b", "settled"))])) == 2


def test_waiting_ends_when_the_time_is_over() -> None:
    """With no time left the tree is looked at once, and no longer."""
    steps = wait_settled(Mirror(), ["a"], any_of=False, timeout_ms=0)
    assert len(play(steps, [page(1, row("a"))])) == 1
