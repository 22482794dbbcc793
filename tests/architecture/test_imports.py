"""What is loaded in fact, where an import contract only sees what is written."""

import json
import subprocess
import sys

import pytest

HEAVY = {"aiofiles", "aiohttp", "immutables", "jsonrpcserver", "msgspec", "pydantic", "structlog"}


def list_loaded(module: str) -> set[str]:
    """Import a module in a fresh interpreter and give the top-level names it loaded."""
    program = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"import {module}\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(names)))\n"
    )
    order = [sys.executable, "-c", program]
    done = subprocess.run(order, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("module", ["subsession", "subsession.cli"])
def test_the_light_clients_load_nothing_heavy(module: str) -> None:
    """The command line and the shim start without aiohttp, pydantic and the wire models."""
    assert not list_loaded(module) & HEAVY
