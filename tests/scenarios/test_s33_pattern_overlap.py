"""S33: two patterns are compared as patterns; what shares a possible path never counts as apart."""

import threading
import time
from typing import Any, Self

import pytest

from tests.support.rawsocket import RawSocket
from tests.support.tables import ROLES, WIDE, tables
from tests.support.yard import Yard, refusal_of, scenario, script

PAIRS = (
    ("a*/x", "*b/x", True),
    ("src/**", "src/a/b.py", True),
    ("**/*.md", "docs/**", True),
    ("src/*.py", "src/sub/*.py", False),
    ("{a,b}/**", "b/c", True),
    ("[a-c]x", "[!a]x", True),
    ("[a-c]x", "[d-f]x", False),
    ("foo", "foo/**", True),
    ("?", "*", True),
    (".hidden", "*", True),
    ("\\*", "*", True),
    ("\\*", "a", False),
    ("a\\*b", "a*b", True),
    ("a/**/z", "a/z", True),
    ("src/a/**", "src/b/**", False),
    ("**/test/**", "src/**/fixtures/*", True),
)
STARS = ("*a" * 20, "a*" * 20, "*" + "b*" * 19, "?*" * 20, "**/" * 20 + "x", "{a*,*b}" * 6)
CHECK_S = 0.1


def claim(yard: Yard, *globs: str, **params: Any) -> Any:
    """Ask for files without starting anything."""
    brief = {"ownedGlobs": list(globs)}
    return yard.spawn("hand", argv=["true"], brief=brief, checkOnly=True, **params)


@pytest.mark.scenario("S33")
def test_pairs_on_an_empty_workspace() -> None:
    """Each pair meets or not, both ways round, though nothing of it is on the disk."""
    with scenario(tables(**WIDE)) as yard:
        for one, two, meets in PAIRS:
            for held, asked in ((one, two), (two, one)):
                node = yard.script(
                    {"awaitPrompt": True}, role="editor", brief={"ownedGlobs": [held]}
                )
                if meets:
                    refusal = refusal_of(claim, yard, asked)
                    assert refusal.code == "SCOPE_OVERLAP", (held, asked)
                    assert (refusal.sibling, refusal.paths[:2]) == (node, (asked, held))
                else:
                    assert claim(yard, asked)["wouldAdmit"] is True, (held, asked)
                yard.call("subsession.cancel", nodeId=node)


@pytest.mark.scenario("S33")
def test_what_is_on_the_disk_changes_nothing() -> None:
    """The same question has the same answer before and after there are files."""
    with scenario(tables()) as yard:
        yard.script({"awaitPrompt": True}, role="editor", brief={"ownedGlobs": ["src/*.py"]})
        before = refusal_of(claim, yard, "**/x.py")
        (yard.workspace / "src").mkdir()
        (yard.workspace / "src" / "other.py").touch()
        (yard.workspace / "elsewhere").mkdir()
        (yard.workspace / "elsewhere" / "x.py").touch()
        after = refusal_of(claim, yard, "**/x.py")
        assert before == after


@pytest.mark.scenario("S33")
def test_an_allowed_overlap_passes_and_is_recorded() -> None:
    """AllowOverlap lets it pass; the answer warns, and the node says with whom it shares."""
    with scenario(tables()) as yard:
        holder = yard.script({"awaitPrompt": True}, role="editor", brief={"ownedGlobs": ["src/**"]})
        brief = {"ownedGlobs": ["src/a.py"], "mission": script({"awaitPrompt": True})}
        answer = yard.spawn("editor", brief=brief, allowOverlap=True)
        assert holder in answer["warnings"][0]
        assert yard.row(answer["nodeId"])["overlaps"] == [holder]


@pytest.mark.scenario("S33")
def test_patterns_built_to_explode_are_answered_at_once() -> None:
    """Hostile patterns against each other take less than 100 ms, and hold nobody else up."""
    with scenario(tables(**WIDE)) as yard:
        node = yard.script(
            {"awaitPrompt": True}, role="editor", brief={"ownedGlobs": [f"x/{s}" for s in STARS]}
        )
        with beside(yard) as slowest, RawSocket(yard.socket) as socket:
            for star in STARS:
                brief = {"mission": "m", "ownedGlobs": [f"x/{star}"]}
                took, error = timed(socket, yard.root, brief)
                assert error["data"]["sibling"] == node
                assert took < CHECK_S, star
        assert slowest() < CHECK_S


@pytest.mark.scenario("S33")
@pytest.mark.timeout(60)  # two hundred children are admitted first
def test_two_hundred_siblings_with_fifty_patterns_each() -> None:
    """Beside 10,000 claims a spawn is judged in less than 100 ms, whether it meets one or not."""
    siblings, patterns = 200, 50
    with scenario(tables(roles=ROLES, **WIDE)) as yard, RawSocket(yard.socket) as socket:
        mission = script({"awaitPrompt": True})
        lead = {"ownedGlobs": ["s*/**"], "tokenCap": 100_000_000}
        parent = yard.script({"awaitPrompt": True}, role="lead", brief=lead)
        for i in range(siblings):
            globs = [f"s{i}/*{j}*/[a-f]?*.py" for j in range(patterns)]
            socket.result(
                "subsession.spawn",
                parentId=parent,
                role="editor",
                brief={"mission": mission, "ownedGlobs": globs},
            )
        with beside(yard) as slowest:
            meeting = {"mission": "m", "ownedGlobs": ["s199/**/*.py"]}
            took, error = timed(socket, parent, meeting)
            assert error["data"]["code"] == "SCOPE_OVERLAP"
            assert took < CHECK_S
            globs = [f"st/*{j}*/[a-f]?*.py" for j in range(patterns)]
            apart = {"mission": "m", "ownedGlobs": globs}
            took, answer = timed(socket, parent, apart, meets=False)
            assert answer["wouldAdmit"] is True
            assert took < CHECK_S
        assert slowest() < CHECK_S


def timed(
    socket: RawSocket, parent: str, brief: dict[str, Any], *, meets: bool = True
) -> tuple[float, Any]:
    """Ask for files; gives the best time of three, in seconds: others use this machine too."""
    ask = socket.error if meets else socket.result
    took = []
    for _ in range(3):
        began = time.monotonic()
        answer = ask(
            "subsession.spawn", parentId=parent, role="editor", brief=brief, checkOnly=True
        )
        took.append(time.monotonic() - began)
    return min(took), answer


class beside:  # noqa: N801  # reads as words
    """Call the daemon all the time; gives the second slowest answer: one stall is the machine's."""

    def __init__(self, yard: Yard) -> None:
        self._yard = yard
        self._took: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live_on)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def __call__(self) -> float:
        return sorted(self._took)[-2:][0]

    def _live_on(self) -> None:
        with RawSocket(self._yard.socket) as socket:
            while not self._over.is_set():
                began = time.monotonic()
                socket.result("daemon.health")
                self._took.append(time.monotonic() - began)
