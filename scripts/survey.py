"""Surveys a folder: every file with its lines, then what stands out. Reads, and changes nothing.

python scripts/survey.py FOLDER
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SKIPPED = frozenset({"venv", "node_modules", "__pycache__"})
_TODO = re.compile(rb"\b(?:TODO|FIXME|XXX|HACK)\b[:(]")
_LARGEST = 5
_READ_MOST_BYTES = 4 << 20
"""Larger files are counted in bytes only."""


@dataclass(frozen=True)
class Found:
    """One file."""

    name: str
    size_bytes: int
    lines: int
    todos: int


def list_files(folder: Path) -> Iterator[Path]:
    """Give the files git knows or would take; without git all but the usual leavings."""
    order = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(order, cwd=folder, capture_output=True, check=False)
    if listed.returncode == 0:
        names = sorted(filter(None, listed.stdout.decode(errors="surrogateescape").split("\0")))
        yield from (folder / name for name in names)
        return
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if not _SKIPPED.intersection(parts) and not any(part[0] == "." for part in parts[:-1]):
            yield path


def look(folder: Path) -> Iterator[Found]:
    """Count what is in each file; links and what cannot be read are left out."""
    for path in list_files(folder):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix().encode(errors="replace").decode()
        size = path.stat().st_size
        raw = path.read_bytes() if size <= _READ_MOST_BYTES else b""
        is_text = b"\0" not in raw[:8_192]
        lines = raw.count(b"\n") if is_text else 0
        yield Found(name, size, lines, len(_TODO.findall(raw)) if is_text else 0)


def summary(found: list[Found]) -> str:
    """Say what stands out, shortly."""
    kinds = Counter[str]()
    for file in found:
        kinds[Path(file.name).suffix or Path(file.name).name] += file.lines
    largest = sorted(found, key=lambda file: -file.size_bytes)[:_LARGEST]
    todos = [file for file in found if file.todos]
    return "\n".join(
        (
            f"files: {len(found):,}",
            f"lines: {sum(file.lines for file in found):,}",
            f"bytes: {sum(file.size_bytes for file in found):,}",
            f"lines by kind: {', '.join(f'{kind} {n:,}' for kind, n in kinds.most_common(6))}",
            f"TODO, FIXME, XXX, HACK: {sum(file.todos for file in todos)} in {len(todos)} files",
            *(f"  {file.name}: {file.todos}" for file in todos[:_LARGEST]),
            "largest files:",
            *(f"  {file.name}: {file.size_bytes:,} bytes" for file in largest),
        )
    )


def main() -> int:
    """List every file, then sum up."""
    folder = Path(sys.argv[1]).absolute()
    found = []
    for file in look(folder):
        print(f"{file.lines:>7} lines {file.size_bytes:>9} bytes {file.todos:>3} todo  {file.name}")
        found.append(file)
    print(f"\n{summary(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
