"""The editor's agent, its bridge and the daemon are killed in turn while children work."""

import os
import signal
from collections import Counter
from contextlib import ExitStack

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn
from tests.support.ide import Ide, Wire, roots_on


class Parent:
    """A person's agent with two bridges, and what its model was ever shown."""

    def __init__(self, daemon: Daemon, stack: ExitStack) -> None:
        self.daemon = daemon
        self._stack = stack
        self.shown: Counter[str] = Counter()
        """Reports that were shown as new."""
        self.again: Counter[str] = Counter()
        """Reports that were shown as shown before."""
        self._ide = self._start()
        self._wire = self._ide.wires[0]

    def _start(self) -> Ide:
        ide = self._stack.enter_context(Ide(self.daemon.state, self.daemon.workspace, bridges=2))
        for wire in ide.wires:
            assert "result" in wire.ask("initialize")
        return ide

    def read(self, *, acknowledge: bool = False) -> None:
        """Read the mailbox, and count what was shown."""
        text = self._wire.text("subsession_inbox", acknowledge=acknowledge)
        for letter in text.split("\n\n"):
            lines = letter.splitlines()
            if len(lines) > 1 and "reported:" in lines[0]:
                seen = self.again if lines[0].startswith("(again) ") else self.shown
                seen[lines[1]] += 1

    def lose_agent(self) -> None:
        """Kill the agent; the person starts it anew."""
        self._ide.end()
        for wire in self._ide.wires:
            wire.close_input()
            assert wire.is_over()
        self._ide = self._start()
        self._wire = self._ide.wires[0]

    def lose_bridge(self) -> None:
        """Kill a bridge; the agent goes on with its other one."""
        first, _ = self._ide.bridge_pids()
        os.kill(first, signal.SIGKILL)
        dead: Wire = self._ide.wires[0] if self._ide.wires[0].is_dead() else self._ide.wires[1]
        (self._wire,) = [wire for wire in self._ide.wires if wire is not dead]

    def lose_daemon(self) -> None:
        """Kill the daemon; it is started anew."""
        self.daemon.kill()
        self.daemon.start()


ORDERS = (
    ("agent", "bridge", "daemon"),
    ("bridge", "daemon", "agent"),
    ("daemon", "agent", "bridge"),
)


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_whatever_is_killed_no_report_is_lost_or_new_twice(order: tuple[str, ...]) -> None:
    """The root stays one and the same; each report comes until it is acknowledged, once as new."""
    with Daemon(config=CONFIG) as daemon, ExitStack() as stack:
        parent = Parent(daemon, stack)
        (root,) = roots_on(daemon, daemon.workspace)
        for number, victim in enumerate(order):
            with StandIn.hire(daemon, root) as child:
                child.report(f"read before the loss of {victim}", stage="finding")
                parent.read()
                child.report(f"unread at the loss of {victim}", stage="finding")
                getattr(parent, f"lose_{victim}")()
                parent.read()
                if victim != "daemon":  # whose end is the end of its children
                    child.report(f"said after the loss of {victim}", stage="finding")
                    parent.read()
                assert roots_on(daemon, daemon.workspace) == [root]
            if number == 1:
                parent.read(acknowledge=True)
        said = {f"{when} {victim}" for when in WHEN for victim in order}
        said.discard("said after the loss of daemon")
        assert set(parent.shown) == said
        assert set(parent.shown.values()) == {1}
        assert {f"{WHEN[0]} {victim}" for victim in order} <= set(parent.again) <= said


WHEN = ("read before the loss of", "unread at the loss of", "said after the loss of")
