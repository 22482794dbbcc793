import os
import subprocess
import sys
import threading

import pytest

from subsessiond.adapters.processes.proc import ProcTable, parse_stat

LINE = (
    b"4711 (odd) name (x)) S 1 4711 4700 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 123456 1 1"
    b" 18446744073709551615"
)


def test_a_name_may_hold_anything() -> None:
    """Blanks and parentheses in a name do not shift the other fields."""
    stat = parse_stat(LINE)
    assert (stat.pid, stat.name, stat.state) == (4711, "odd) name (x)", "S")
    assert (stat.ppid, stat.pgid, stat.sid) == (1, 4711, 4700)
    assert (stat.threads, stat.start_ticks) == (3, 123456)
    assert not stat.is_ended


@pytest.mark.parametrize(
    ("state", "threads", "ended"),
    [("Z", 1, True), ("X", 0, True), ("Z", 2, False), ("D", 1, False)],
)
def test_a_dead_main_thread_is_not_a_dead_process(state: str, threads: int, ended: bool) -> None:
    """A zombie whose other threads run on has not ended."""
    stat = parse_stat(LINE)._replace(state=state, threads=threads)
    assert stat.is_ended is ended


def test_the_table_is_read_as_it_is() -> None:
    """This process is found with its parent, its session and its children."""
    table = ProcTable()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        own = table.stat(os.getpid())
        assert own is not None
        assert (own.ppid, own.sid) == (os.getppid(), os.getsid(0))
        assert child.pid in table.children(os.getpid())
        assert {own.pid, child.pid} <= {stat.pid for stat in table.scan().stats}
        child.communicate(b"\n")
    assert table.stat(child.pid) is None
    assert not table.is_same(os.getpid(), own.start_ticks + 1)
    table.close()


def test_children_of_other_threads_are_found() -> None:
    """A process belongs to the program, whichever thread started it."""
    table = ProcTable()
    found = []

    def start() -> None:
        with subprocess.Popen(["sleep", "600"]) as child:
            found.append(child.pid in table.children(os.getpid()))
            child.kill()

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    table.close()
    assert found == [True]
