"""What a process uses, as the kernel counts it."""

from pathlib import Path


def pss_kib(pid: int) -> float:
    """Give the memory of a process, shared pages counted by their share."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return float(line.split()[1])
    raise RuntimeError("the kernel says nothing of proportional memory")


def pss_by_pid(pid: int) -> dict[int, float]:
    """Give the memory of a process and of all below it; who ends meanwhile has none."""
    found = {}
    for one in (pid, *below(pid)):
        try:
            found[one] = pss_kib(one)
        except (OSError, RuntimeError):  # it has ended; an ended one has no such figure
            continue
    return found


def rss_kib(pid: int) -> float:
    """Give the memory of a process that is resident."""
    return _status(pid, "VmRSS:")


def threads(pid: int) -> int:
    """Count its threads."""
    return int(_status(pid, "Threads:"))


def _status(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines():
        if line.startswith(field):
            return float(line.split()[1])
    raise RuntimeError(f"the kernel says nothing of {field}")


def cpu_ms(pid: int) -> float:
    """Give the processor time of all its threads that still run, in milliseconds.

    Why not `stat`: it counts in ticks of ten milliseconds.
    """
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks) / 1e6


def below(pid: int) -> list[int]:
    """List all processes below one, by their parents."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        if (parent := _parent(place)) is not None:
            children.setdefault(parent, []).append(int(place.name))
    found, waiting = [], [pid]
    while waiting:
        kids = children.get(waiting.pop(), [])
        found += kids
        waiting += kids
    return found


def _parent(place: Path) -> int | None:
    try:
        stat = (place / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[1])
