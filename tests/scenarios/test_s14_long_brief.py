"""S14: a long brief goes by standard input, or is refused before anything is started."""

from pathlib import Path

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, prompt, spawn
from tests.support.hire import wait_for

KIB = 1024
SIZES = (100 * KIB, 160 * KIB, 3 * KIB * KIB)
BY_ARGUMENT = f'{ENDS}\nbrief_by = "argument"'


def long_brief(size: int) -> dict[str, str]:
    """Give a brief with a mission of so many bytes, whose agent waits to be looked at."""
    script = prompt({"say": "a"}, {"waitFile": "go"}, {"close": "done"})
    return {"mission": f"{script} {'secret-mission ' * size}"[:size]}


@pytest.mark.scenario("S14")
def test_a_long_brief_comes_by_standard_input() -> None:
    """Every size within the limit starts, and no list of processes shows the mission."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        order = {"parentId": root, "role": "ends", "waitMs": 20_000}
        nodes = [
            daemon.call("subsession.spawn", brief=long_brief(size), **order)["nodeId"]
            for size in SIZES
        ]
        lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked(nodes)]
        assert len(lines) >= len(nodes)
        assert not any(b"secret-mission" in line for line in lines)
        (daemon.workspace / "go").touch()
        for node in nodes:
            assert wait_for(daemon, node, "released")["outcome"] == "completed"
        check_closing(daemon)


@pytest.mark.scenario("S14")
def test_a_brief_that_is_too_long_for_an_argument_is_refused() -> None:
    """Field and limit are named, nothing was started, and no word of the system is passed on."""
    with Daemon(config=config(args=BY_ARGUMENT)) as daemon:
        root = daemon.open()
        order = {"parentId": root, "role": "args", "waitMs": 20_000}
        (daemon.workspace / "go").touch()
        node = daemon.call("subsession.spawn", brief=long_brief(SIZES[0]), **order)["nodeId"]
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        for size in SIZES[1:]:
            with pytest.raises(Refused) as said:
                daemon.call("subsession.spawn", brief=long_brief(size), **order)
            refusal = said.value.refusal
            assert refusal.code == "ROLE_UNSAFE"
            assert "brief.mission" in str(said.value)
            assert str(120 * KIB) in str(said.value)
            assert "Errno" not in str(said.value)
        assert list(daemon.rows()) == [root, node]
        check_closing(daemon)


@pytest.mark.scenario("S14")
def test_a_letter_that_makes_it_too_long_is_refused() -> None:
    """A succession whose letter pushes the text over the limit is refused before the start."""
    with Daemon(config=config(args=BY_ARGUMENT)) as daemon:
        root = daemon.open()
        room = 120 * KIB - 700
        mission = f"{prompt({'say': 'a'}, {'close': 'w' * 600})} {'m' * room}"[:room]
        brief = {"mission": mission}
        spawned = daemon.call("subsession.spawn", parentId=root, role="args", brief=brief)
        node = spawned["nodeId"]
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        with pytest.raises(Refused) as said:
            daemon.call("subsession.succeed", childId=node)
        assert said.value.refusal.code == "ROLE_UNSAFE"
        assert "brief.mission" in str(said.value)
        assert list(daemon.rows()) == [root, node]
        again = spawn(daemon, root, "args", {"close": "done"})
        assert wait_for(daemon, again, "released")["outcome"] == "completed"
        check_closing(daemon)
