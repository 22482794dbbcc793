"""`subsessiond`: its verbs in real processes, as an operator types them."""

import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsessiond.cli import main

VERBS = ("serve", "check-config", "recover", "install-service", "passphrase")


class Operator:
    """Types commands on folders of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.config = folder / "config"
        self.config.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SUBSESSION_", "XDG_"))}
        self.env = {
            **kept,
            "HOME": str(folder),
            "SUBSESSION_STATE_DIR": str(self.state),
            "SUBSESSION_CONFIG_DIR": str(self.config),
        }

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Type a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "subsessiond", *words],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Type a command and wait for its end."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=25)
        return process.returncode, out, err


@pytest.fixture
def operator() -> Iterator[Operator]:
    """Give an operator; a socket's path has to be short."""
    with tempfile.TemporaryDirectory(prefix="ssx-") as folder:
        yield Operator(Path(folder))


def test_help_names_verbs_and_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    """The help names every verb and every exit status."""
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    said = capsys.readouterr().out
    assert all(verb in said for verb in VERBS)
    assert all(status in said for status in ("0 ", "1 ", "70", "75", "78"))


@pytest.mark.parametrize("words", [[], ["dance"], ["serve", "--dance"]])
def test_what_is_no_command_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing or unknown verb or option is a usage error."""
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert "usage: subsessiond" in capsys.readouterr().err


def test_help_loads_nothing_of_the_daemon() -> None:
    """Asking for help loads neither the server nor the store."""
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom subsessiond.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('aiohttp', 'pydantic', 'sqlite3', 'structlog') \n"
        "       if m in set(sys.modules) - before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_led_to_its_module(
    verb: str, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each verb runs in this process too, and gives its status."""
    if verb == "passphrase":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"short")))
        assert main([verb, "--passphrase-stdin"]) == 70
        return
    (operator.config / "roles.toml").write_text("nonsense")
    words = [verb, "--state-dir", str(operator.state), "--config-dir", str(operator.config)]
    if verb == "install-service":
        assert main([*words, "--print"]) == 0
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        assert main(words) == 78
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_at_any_instant_of_the_start_is_clean(operator: Operator, number: int) -> None:
    """Told to stop while it is being loaded or recovers, it ends with status 0 and says nothing."""
    code = (
        "import os, signal, sys\n"
        "from subsessiond.cli import main\n"
        "import subsessiond.cli.serve as serve\n"
        "loading = serve._loading\n"
        "def interrupted():\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    return loading()\n"
        "serve._loading = interrupted\n"
        "sys.exit(main(['serve']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=operator.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=25,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (operator.state / "run" / "daemon.sock").exists()


@pytest.mark.parametrize(
    ("spoil", "status", "words"),
    [
        ("config", 78, "roles.toml: [a] tier: is missing"),
        ("syntax", 78, "cannot be read"),
        ("socket", 70, "is no socket; nothing was removed"),
        ("state", 70, "state"),
        ("store", 70, "newer"),
        ("container", 78, "[processes] container"),
    ],
)
def test_a_fault_at_the_start_is_one_sentence(
    operator: Operator, spoil: str, status: int, words: str
) -> None:
    """Whatever is wrong, the daemon says it in one line and leaves no traceback."""
    if spoil == "config":
        (operator.config / "roles.toml").write_text("[a]\n")
    elif spoil == "syntax":
        (operator.config / "agents.toml").write_text("= 1")
    elif spoil == "socket":
        (operator.state / "run").mkdir(parents=True)
        (operator.state / "run" / "daemon.sock").write_text("in the way")
    elif spoil == "state":
        operator.state.write_text("in the way")
    elif spoil == "store":
        operator.state.mkdir()
        head = bytearray(b"SQLite format 3\x00".ljust(100, b"\0"))
        head[60:64] = (9_999).to_bytes(4, "big")
        head[68:72] = application_id()
        (operator.state / "registry.sqlite").write_bytes(head)
    else:
        (operator.config / "subsessiond.toml").write_text('[processes]\ncontainer = "docker"\n')
    returned, out, err = operator.run("serve")
    assert (returned, out) == (status, "")
    assert err.startswith("subsessiond: ")
    assert err.count("\n") == 1
    assert words in err
    assert "Traceback" not in err


def application_id() -> bytes:
    """Give the mark of our stores."""
    from subsessiond.adapters.store import schema

    return int(schema.APPLICATION_ID).to_bytes(4, "big")


def test_a_second_daemon_is_refused(operator: Operator) -> None:
    """Where a daemon serves, neither a second one nor a recovery touches anything."""
    with operator.start("serve", "--foreground") as first:
        try:
            assert first.stderr is not None
            while '"serving"' not in first.stderr.readline():
                assert first.poll() is None
            for verb in ("serve", "recover"):
                status, _, err = operator.run(verb)
                assert status == 75
                assert "another daemon" in err
        finally:
            first.send_signal(signal.SIGTERM)
            first.communicate(timeout=25)
    assert first.returncode == 0
