"""`app`: one life of the daemon, in this process, from its start to its end."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from subsession.async_client import AsyncClient
from subsession.errors import Misused, Refused
from subsessiond import app
from subsessiond.adapters.lock import StateHeldFault, StateLock
from subsessiond.parts import recover_all
from subsessiond.ports import StoreFault
from subsessiond.rpc.server import RpcServer
from subsessiond.rpc.socketfile import SocketFault
from subsessiond.settings import Settings, load


@pytest.fixture
def settings() -> Iterator[Settings]:
    """Give settings on a folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="ssa-") as folder:
        config = Path(folder) / "config"
        config.mkdir()
        (config / "subsessiond.toml").write_text("[processes]\nterm_grace_ms = 200\n")
        (Path(folder) / "work").mkdir()
        yield load({}, state_dir=f"{folder}/state", config_dir=str(config))


def log_of(settings: Settings) -> str:
    """Give the daemon's log."""
    return (settings.state_dir / "daemon.log").read_text("utf-8")


class Served:
    """A daemon that serves in this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ready = asyncio.Event()
        self.task = asyncio.create_task(app.serve(settings))

    async def call(self, method: str, **params: Any) -> Any:
        """Call one method as the operator."""
        async with AsyncClient(str(self.settings.socket), token="") as client:
            return await client.call(method, params)

    async def hire(self, root: str, *argv: str) -> Any:
        """Start a program as a child and wait until it runs."""
        return await self.call(
            "subsession.spawn",
            parentId=root,
            role="check",
            brief={"mission": "wait"},
            argv=[*argv],
            waitMs=20_000,
        )


@asynccontextmanager
async def serving(settings: Settings, patch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    """Serve for the length of a block, and stop by a signal where nobody did."""
    start = RpcServer.start
    made = Served(settings)

    async def started(self: RpcServer, path: Path, *, holds_lock: bool = False) -> None:
        await start(self, path, holds_lock=holds_lock)
        made.ready.set()

    patch.setattr(RpcServer, "start", started)
    ready = asyncio.create_task(made.ready.wait())
    await asyncio.wait((ready, made.task), return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    try:
        yield made
    finally:
        if not made.task.done():
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait((made.task,))


async def test_it_serves_until_it_is_told_to_stop(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon answers, stops by the operator's call with status 0, and takes its socket along."""
    async with serving(settings, monkeypatch) as daemon:
        info = await daemon.call("daemon.info")
        assert info["pid"] == os.getpid()
        assert info["stateDir"] == str(settings.state_dir)
        await daemon.call("daemon.shutdown")
        assert await daemon.task == 0
    assert not settings.socket.exists()
    assert '"event":"stopped"' in log_of(settings).replace(": ", ":")


async def test_a_signal_stops_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first signal ends it cleanly, a second one only shortens the waiting."""
    async with serving(settings, monkeypatch) as daemon:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        assert await daemon.task == 0


def interrupt_the_start(patch: pytest.MonkeyPatch) -> None:
    """Let a signal come in the middle of the next start, and be heard there."""
    heard, on_signal = asyncio.Event(), app.Daemon._on_signal  # noqa: SLF001

    def hear(self: app.Daemon) -> None:
        on_signal(self)
        heard.set()

    async def interrupted(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        await heard.wait()
        return await recover_all(*arguments)

    patch.setattr(app.Daemon, "_on_signal", hear)
    patch.setattr(app, "recover_all", interrupted)


async def test_a_stop_during_the_start_is_a_clean_end(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that is told to stop before it serves never listens, and ends with status 0."""
    interrupt_the_start(monkeypatch)
    assert await app.serve(settings) == 0
    assert '"serving"' not in log_of(settings)
    assert not settings.socket.exists()


async def test_children_end_with_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that runs is settled and ended when the daemon stops; the next finds it released."""
    work = str(settings.state_dir.parent / "work")
    async with serving(settings, monkeypatch) as daemon:
        root = (await daemon.call("subsession.open", workspace=work))["nodeId"]
        child = await daemon.hire(root, "sleep", "600")
        assert child["state"] == "running"
        os.kill(os.getpid(), signal.SIGTERM)
        assert await daemon.task == 0
    async with serving(settings, monkeypatch) as daemon:
        rows = {row["nodeId"]: row for row in (await daemon.call("subsession.tree"))["rows"]}
    assert rows[child["nodeId"]]["state"] == "released"
    assert rows[child["nodeId"]]["reason"] == "daemon-stopped"


async def test_a_second_signal_waits_for_no_grace(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that ignores being asked is killed at once when somebody hurries."""
    (settings.config_dir / "subsessiond.toml").write_text("[processes]\nterm_grace_ms = 600000\n")
    patient = load({}, state_dir=str(settings.state_dir), config_dir=str(settings.config_dir))
    work = settings.state_dir.parent / "work"
    script = "trap 'touch asked' TERM; touch up; while :; do sleep 0.05; done"
    async with serving(patient, monkeypatch) as daemon:
        root = (await daemon.call("subsession.open", workspace=str(work)))["nodeId"]
        await daemon.hire(root, "sh", "-c", script)
        await until(work / "up")
        os.kill(os.getpid(), signal.SIGTERM)
        await until(work / "asked")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await daemon.task == 0


async def until(path: Path) -> None:
    """Wait for a file that another process makes."""
    for _ in range(2_000):
        if path.exists():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(path)


async def test_children_that_cannot_be_ended_hold_it_up_for_a_bounded_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When not all children can be stopped in time, the daemon says so and ends."""

    async def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(app, "end_children", never)
    work = str(settings.state_dir.parent / "work")
    async with serving(settings, monkeypatch) as daemon:
        root = (await daemon.call("subsession.open", workspace=work))["nodeId"]
        await daemon.hire(root, "sleep", "600")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await daemon.task == 0
    assert "still being stopped" in log_of(settings)


async def test_a_reload_takes_good_tables_and_keeps_the_old_before_bad_ones(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reload reads the files anew, limits too; one bad word changes nothing and is named."""
    roles = settings.config_dir / "roles.toml"
    async with serving(settings, monkeypatch) as daemon:
        roles.write_text('[mine]\ntier = "command"\n')
        (settings.config_dir / "subsessiond.toml").write_text("[limits]\nroot_token_cap = 7_000")
        assert (await daemon.call("daemon.reload"))["roles"] == 1
        roles.write_text('[mine]\ntier = "command"\n[other]\ntier = "x"\ntools = ["fly"]\n')
        with pytest.raises(Misused, match=r"roles.toml: \[other\] tools: 'fly' is no tool class"):
            await daemon.call("daemon.reload")
        names = [role["name"] for role in (await daemon.call("roles.list"))["roles"]]
        root = await daemon.call("subsession.open", workspace=str(settings.config_dir))
    assert (names, root["tokenCap"]) == (["mine"], 7_000)


async def test_a_held_state_directory_is_a_fault(settings: Settings) -> None:
    """Where another daemon serves, nothing is touched."""
    with StateLock.take(settings.state_dir), pytest.raises(StateHeldFault):
        await app.serve(settings)


async def test_a_taken_socket_ends_it_with_a_fault(settings: Settings) -> None:
    """What stands where the socket belongs is left there, and the log names the fault."""
    settings.socket.parent.mkdir(parents=True)
    settings.socket.write_text("not a socket")
    with pytest.raises(SocketFault, match="is no socket"):
        await app.serve(settings)
    assert settings.socket.read_text() == "not a socket"
    assert "a fault ended the daemon" in log_of(settings)


async def test_a_socket_that_cannot_be_made_ends_it_with_a_fault(settings: Settings) -> None:
    """A folder that cannot be made is the system's refusal, not a bug."""
    settings.socket.parent.parent.mkdir(parents=True)
    settings.socket.parent.write_text("a file in the way")
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        await app.serve(settings)
    assert "a fault ended the daemon" in log_of(settings)


async def test_an_unusable_store_ends_it_with_a_fault(settings: Settings) -> None:
    """A store that may not be read is said in the log too."""
    settings.state_dir.mkdir()
    (settings.state_dir / "registry.sqlite").mkdir()
    with pytest.raises((StoreFault, OSError)):
        await app.serve(settings)
    assert "a fault ended the daemon" in log_of(settings)


async def test_a_store_that_breaks_while_it_serves_ends_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon whose lock file is taken away ends by a fault, and leaves no socket behind."""
    work = str(settings.state_dir.parent / "work")
    async with serving(settings, monkeypatch) as daemon:
        (settings.state_dir / "lock").unlink()
        with pytest.raises(Refused):
            await daemon.call("subsession.open", workspace=work)
        await asyncio.wait((daemon.task,))
        with pytest.raises(StoreFault, match="was removed or replaced"):
            daemon.task.result()
    assert not settings.socket.exists()


async def test_a_bug_ends_it_and_is_told_whole(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception nobody expected ends the daemon as a group, with its traceback in the log."""

    async def broken(*_: object) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(app, "recover_all", broken)
    with pytest.raises(BaseExceptionGroup):
        await app.serve(settings)
    assert "a bug ended the daemon" in log_of(settings)
    assert "KeyError" in log_of(settings)


async def test_foreground_logs_to_standard_error(
    settings: Settings, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the foreground there is no log file; lines go to standard error."""
    interrupt_the_start(monkeypatch)
    assert await app.serve(settings, foreground=True) == 0
    assert not (settings.state_dir / "daemon.log").exists()
    assert "stopped" in capfd.readouterr().err
