"""One root on a folder of its own in a daemon that several cases share, and who speaks below it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from subsession.client import Client
from subsession.errors import Refusal, Refused
from tests.support.closing import check_closing, descriptors
from tests.support.daemon import Daemon
from tests.support.hire import hire, wait_file, wait_for

SHOW_TOKEN = (
    'printf %s "$SUBSESSION_TOKEN" >".token-$SUBSESSION_NODE.new";'
    'mv ".token-$SUBSESSION_NODE.new" ".token-$SUBSESSION_NODE";'
)
PATIENT = SHOW_TOKEN + 'until [ -e ".end-$SUBSESSION_NODE" ]; do sleep 0.05; done'
STUBBORN = 'trap "" TERM;' + PATIENT
"""A child that does not leave when it is asked: what comes between asking and killing has time."""


def script(*steps: dict[str, Any]) -> str:
    """Write a script."""
    return json.dumps({"steps": steps})


class Speaker:
    """A running child whose words the test says; its own process only waits."""

    def __init__(self, yard: "Yard", node: str) -> None:
        self.node = node
        self._end = yard.workspace / f".end-{node}"
        self.token = wait_file(yard.workspace / f".token-{node}")
        self._client = Client(yard.socket, token=self.token)

    def call(self, method: str, /, **params: Any) -> Any:
        """Call one method as this node."""
        return self._client.call(method, params)

    def close(self) -> None:
        """Hang up and let the process end."""
        self.leave()
        self._client.close()

    def leave(self) -> None:
        """Let the process end."""
        self._end.touch()

    def report(self, output: str, **fields: Any) -> Any:
        """Report."""
        return self.call("subsession.report", output=output, **fields)

    def final(self, outcome: str = "completed", **fields: Any) -> Any:
        """Send a final."""
        return self.report("done", stage="final", outcome=outcome, **fields)


class Yard:
    """Looks like a daemon to `hire`, but has a root and a workspace of its own.

    On leaving, the root is closed and everything below it gone. Without a name the workspace is
    the daemon's own.
    """

    def __init__(self, daemon: Daemon, name: str = "", **params: Any) -> None:
        self.daemon = daemon
        self.workspace: Path = daemon.folder / "yards" / name if name else daemon.workspace
        self.workspace.mkdir(parents=True, exist_ok=True)
        opened = self.call("subsession.open", workspace=str(self.workspace), **params)
        self.root = str(opened["nodeId"])
        self._speakers: list[Speaker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.hang_up()
        self.call("subsession.close", nodeId=self.root)

    def hang_up(self) -> None:
        """Let every speaker go."""
        for speaker in self._speakers:
            speaker.close()

    @property
    def socket(self) -> Path:
        """Where its daemon listens."""
        return self.daemon.socket

    def client(self) -> Client:
        """A client of the operator's."""
        return self.daemon.client()

    def call(self, method: str, /, **params: Any) -> Any:
        """Call one method as the operator."""
        return self.daemon.call(method, **params)

    def spawn(self, role: str = "check", *, parent: str | None = None, **params: Any) -> Any:
        """Spawn as the operator; `brief` may be left out."""
        order = {"mission": "work", **params.pop("brief", {})}
        return self.call(
            "subsession.spawn", parentId=parent or self.root, role=role, brief=order, **params
        )

    def hire(self, *argv: str, role: str = "check", parent: str | None = None, **more: Any) -> str:
        """Start a child with a command line and wait until it runs."""
        return hire(self, parent or self.root, *argv, role=role, **more)  # type: ignore[arg-type]

    def speaker(self, role: str = "check", *, script: str = PATIENT, **more: Any) -> Speaker:
        """Start a child that only waits, to speak in its stead."""
        speaker = Speaker(self, self.hire("sh", "-c", script, role=role, **more))
        self._speakers.append(speaker)
        return speaker

    def settled(self, role: str = "check", **more: Any) -> str:
        """Give a child that has come and gone."""
        node = self.hire("true", role=role, **more)
        self.wait(node, "released")
        return node

    def row(self, node: str) -> dict[str, Any]:
        """Give a node's row."""
        row: dict[str, Any] = self.daemon.rows()[node]
        return row

    def script(self, *steps: dict[str, Any], role: str = "script", **params: Any) -> str:
        """Start a scripted child and wait until it plays."""
        brief = {"mission": script(*steps), **params.pop("brief", {})}
        params = {"parent": self.root, "waitMs": 20_000, **params}
        return str(self.spawn(role, brief=brief, **params)["nodeId"])

    def mail(self, reader: str | None = None, **params: Any) -> list[dict[str, Any]]:
        """Look at a mailbox as the operator."""
        page = self.call("subsession.inbox", nodeId=reader or self.root, **params)
        return list(page["messages"])

    def wait(self, node: str, *states: str) -> dict[str, Any]:
        """Wait until a node is in one of these states."""
        return wait_for(self.daemon, node, *states)


@contextmanager
def scenario(
    config: dict[str, str], *, environ: dict[str, str] | None = None, **params: Any
) -> Iterator[Yard]:
    """Give one scenario a daemon and a root, and look behind it when it is over."""
    with Daemon(config=config, environ=environ) as daemon:
        before = descriptors(daemon)
        with Yard(daemon, **params) as yard:
            yield yard
            yard.hang_up()
            check_closing(daemon, descriptors_before=before)


def refusal_of(call: Any, /, *given: Any, **params: Any) -> Refusal:
    """Make a call that is to be refused, and give the refusal."""
    try:
        answer = call(*given, **params)
    except Refused as refused:
        return refused.refusal
    raise AssertionError(f"not refused: {answer}")
