import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from subsessiond.adapters.lock import LOCK_NAME, StateHeldFault, StateLock, holder_of
from subsessiond.ports import StoreFault

HOLD = """
import sys
from pathlib import Path
from subsessiond.adapters.lock import StateHeldFault, StateLock
try:
    lock = StateLock.take(Path(sys.argv[1]))
except StateHeldFault as fault:
    print("refused", fault, flush=True)
    raise SystemExit(3)
print("held", flush=True)
sys.stdin.read()
"""


def start_holder(directory: Path | str, cwd: Path) -> subprocess.Popen[str]:
    """Start a process that takes the lock and holds it until its input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )


def first_word(process: subprocess.Popen[str]) -> str:
    """Read whether a holder holds or was refused."""
    assert process.stdout is not None
    return process.stdout.readline().split(" ")[0].strip()


def mounts(folder: Path, kind: str, point: str) -> Path:
    """Write a table of mounts in which one point has a kind."""
    table = folder / "mountinfo"
    table.write_text(
        "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
        f"30 22 0:9 / {point} rw,relatime shared:1 - {kind} server:/export rw\n"
        f"31 22 0:8 / {point}er rw - nfs4 server:/other rw\n"
    )
    return table


@pytest.mark.parametrize(
    "content", ["own", "1", "alive", "dead", "", "\0\0junk\xff", "99999999999"]
)
def test_a_stale_number_is_not_believed(tmp_path: Path, content: str) -> None:
    """S26: whatever a leftover lock file says, the lock is taken and then names its true holder."""
    order = [sys.executable, "-c", "import os; print(os.getpid())"]
    dead = subprocess.run(order, capture_output=True, check=True, timeout=20).stdout
    says = {"own": str(os.getpid()), "alive": str(os.getppid()), "dead": dead.decode()}
    (tmp_path / LOCK_NAME).write_text(says.get(content, content))
    with StateLock.take(tmp_path) as lock:
        lock.check()
        assert holder_of(tmp_path) == str(os.getpid())


def test_a_directory_in_place_of_the_lock_is_a_clear_error(tmp_path: Path) -> None:
    """S26: a directory where the lock file belongs is named, and left alone."""
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(StoreFault, match=r"lock is a directory.*move it away"):
        StateLock.take(tmp_path)
    assert (tmp_path / LOCK_NAME).is_dir()


def test_links_and_pipes_in_place_of_the_lock_are_not_followed(tmp_path: Path) -> None:
    """A planted link is not followed, nothing is made where it points; a pipe holds up nobody."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / LOCK_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreFault, match="link"):
        StateLock.take(tmp_path / "a")
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / LOCK_NAME)
    with pytest.raises(StoreFault, match="not a file"):
        StateLock.take(tmp_path / "b")


def test_a_second_daemon_is_refused_however_it_spells_the_directory(tmp_path: Path) -> None:
    """S27: by name, by a link, by a relative path: the second is refused and changes nothing."""
    state = tmp_path / "state"
    (tmp_path / "link").symlink_to(state)
    with StateLock.take(state) as lock:
        before = [(p.name, p.stat().st_mtime_ns, p.read_bytes()) for p in state.iterdir()]
        for spelled in (state, tmp_path / "link", "state", "./link/"):
            second = start_holder(spelled, tmp_path)
            out, _ = second.communicate("", timeout=20)
            assert second.returncode == 3
            assert re.search(rf"process {os.getpid()}, it says\) serves .*(state|link)", out)
        lock.check()
        assert before == [(p.name, p.stat().st_mtime_ns, p.read_bytes()) for p in state.iterdir()]


def test_of_ten_at_once_exactly_one_holds(tmp_path: Path) -> None:
    """S27: ten processes on a fresh directory at the same moment; one gets it."""
    many = [start_holder(tmp_path / "state", tmp_path) for _ in range(10)]
    words = [first_word(process) for process in many]
    for process in many:
        process.communicate("", timeout=20)
    assert sorted(words) == ["held"] + ["refused"] * 9


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A holder that is killed leaves a lock that the next one takes at once."""
    first = start_holder(tmp_path, tmp_path)
    assert first_word(first) == "held"
    with pytest.raises(StateHeldFault, match=str(first.pid)):
        StateLock.take(tmp_path)
    first.kill()
    first.communicate(timeout=20)
    assert holder_of(tmp_path) == str(first.pid)
    StateLock.take(tmp_path).release()


@pytest.mark.parametrize("harm", ["removed", "replaced", "released"])
def test_a_lock_that_no_longer_stands_is_noticed(tmp_path: Path, harm: str) -> None:
    """Removing or replacing the lock file is noticed by its holder, as a fatal fault."""
    with StateLock.take(tmp_path) as lock:
        if harm == "released":
            lock.release()
        else:
            (tmp_path / LOCK_NAME).unlink()
        if harm == "replaced":
            (tmp_path / LOCK_NAME).touch()
        with pytest.raises(StoreFault, match="removed or replaced") as caught:
            lock.check()
        assert caught.value.fatal


def test_the_state_directory_is_its_owners_alone(tmp_path: Path) -> None:
    """A directory that does not exist is made with all above it, open to nobody else."""
    with StateLock.take(tmp_path / "x" / "state"):
        assert (tmp_path / "x" / "state").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "x" / "state" / LOCK_NAME).stat().st_mode & 0o777 == 0o600
    (tmp_path / "file").touch()
    with pytest.raises(StoreFault, match="as state directory"):
        StateLock.take(tmp_path / "file")


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs"])
def test_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    """Where locks do not bind other machines the directory is refused, with the kind named."""
    far = tmp_path / "far away"
    table = mounts(tmp_path, kind, str(far).replace(" ", "\\040"))
    with pytest.raises(StoreFault, match=rf"{kind}.*local disk"):
        StateLock.take(far / "state", mounts=table)


def test_a_local_disk_beside_a_network_mount_is_taken(tmp_path: Path) -> None:
    """A mount counts only for what lies on it, and the later of two on one point counts."""
    table = mounts(tmp_path, "nfs", str(tmp_path / "far"))
    StateLock.take(tmp_path / "farm", mounts=table).release()
    local = f"40 30 8:1 / {tmp_path / 'far'} rw - xfs /dev/sda1 rw\n"
    table.write_text(table.read_text() + local)
    StateLock.take(tmp_path / "far" / "state", mounts=table).release()
    StateLock.take(tmp_path / "far" / "state", mounts=tmp_path / "no table").release()
