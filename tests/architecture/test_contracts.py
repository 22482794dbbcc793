"""Every import contract is alive: a violation planted in a copy of the packages is caught.

The contracts stand in pyproject.toml; scripts/check holds the real packages to them.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Plant(NamedTuple):
    """A line that breaks a contract, and the file (made if missing) to which it is added."""

    file: str
    line: str
    seen: str


PLANTS: dict[str, Plant] = {
    "layers": Plant(
        "subsessiond/model/planted.py",
        "import subsessiond.core",
        "subsessiond.model.planted -> subsessiond.core",
    ),
    "pure": Plant("subsessiond/core/planted.py", "import time", "subsessiond.core.planted -> time"),
    "three-doors": Plant(
        "subsessiond/rpc/planted.py",
        "import subsessiond.core.decide",
        "subsessiond.rpc.planted -> subsessiond.core.decide",
    ),
    "schemas": Plant(
        "subsessiond/engine/planted.py",
        "import pydantic",
        "subsessiond.engine.planted -> pydantic",
    ),
    "dispatch": Plant(
        "subsessiond/rpc/planted.py",
        "import jsonrpcserver",
        "subsessiond.rpc.planted -> jsonrpcserver",
    ),
    "strangers": Plant(
        "subsessiond/adapters/planted.py",
        "import subsessiond.adapters.store",
        "subsessiond.adapters.planted -> subsessiond.adapters.store",
    ),
    "driven": Plant(
        "subsessiond/adapters/planted.py",
        "import subsessiond.engine",
        "subsessiond.adapters.planted -> subsessiond.engine",
    ),
    "clients": Plant(
        "subsession/planted.py",
        "import subsessiond.core",
        "subsession.planted -> subsessiond.core",
    ),
    "light": Plant("subsession/cli/exits.py", "import pydantic", "cli.exits -> pydantic"),
    "bridge": Plant("subsession/mcp/lines.py", "import asyncio", "mcp.lines -> asyncio"),
    "daemon": Plant(
        "subsessiond/rpc/planted.py",
        "import subsession.planted",
        "subsessiond.rpc.planted -> subsession.planted",
    ),
    "acyclic": Plant(
        "subsessiond/model/planted.py",
        "import subsessiond.core",
        ".model -> .core",
    ),
}


def read_contracts() -> set[str]:
    """Give the ids of the contracts of this project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {contract["id"] for contract in project["tool"]["importlinter"]["contracts"]}


def copy_packages(folder: Path) -> None:
    """Copy the sources of both packages, side by side, and the contracts."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "subsessiond", folder / "subsessiond", ignore=skip)
    shutil.copytree(ROOT / "clients/subsession", folder / "subsession", ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)


def lint(folder: Path, contract: str) -> subprocess.CompletedProcess[str]:
    """Hold the copy to one contract."""
    program = Path(sys.executable).with_name("lint-imports")
    options = ["pyproject.toml", "--contract", contract, "--no-cache", "--no-logo"]
    return subprocess.run(
        [program, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "300"},
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
    )


def test_every_contract_has_a_planted_violation() -> None:
    """No contract goes unproven."""
    assert PLANTS.keys() == read_contracts()


@pytest.mark.parametrize("contract", PLANTS)
def test_a_planted_violation_is_caught(contract: str, tmp_path: Path) -> None:
    """The contract breaks on its planted import, and names it."""
    copy_packages(tmp_path)
    plant = PLANTS[contract]
    with (tmp_path / plant.file).open("a") as file:
        file.write(f"\n{plant.line}\n")
    (tmp_path / "subsession/planted.py").touch()
    done = lint(tmp_path, contract)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 broken" in done.stdout
    assert plant.seen in " ".join(done.stdout.split())
