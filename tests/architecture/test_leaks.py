"""The leak guard is itself held to what it promises: each kind of leak, planted, fails its test."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support import leaks

ROOT = Path(__file__).parents[2]

INI = f"""
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
pythonpath = {ROOT}
"""

LEAKY = {
    "task": """
        import asyncio
        async def test_leaky():
            asyncio.get_running_loop().kept = asyncio.create_task(asyncio.Event().wait())
            await asyncio.sleep(0)
    """,
    "descriptor": """
        import os
        def test_leaky():
            os.open("/", os.O_RDONLY)
    """,
    "thread": """
        import threading
        def test_leaky():
            threading.Thread(target=threading.Event().wait, daemon=True, name="idle").start()
    """,
    "child": """
        import subprocess
        kept = []
        def test_leaky():
            kept.append(subprocess.Popen(["sleep", "60"]))
    """,
    "stray": """
        import subprocess
        def test_leaky():
            subprocess.run(["sh", "-c", "sleep 60 >/dev/null 2>&1 &"], check=True)
    """,
    "stray with a clean environment": """
        import subprocess
        def test_leaky(tmp_path):
            order = ["env", "-i", "sh", "-c", "sleep 60 >/dev/null 2>&1 &"]
            subprocess.run(order, check=True, cwd=tmp_path)
    """,
}

TIDY = """
    import asyncio, os, subprocess, threading
    async def test_tidy(tmp_path):
        task = asyncio.create_task(asyncio.sleep(0))
        await task
        child = await asyncio.create_subprocess_exec("true", stdout=subprocess.PIPE)
        await child.communicate()
        os.close(os.open("/", os.O_RDONLY))
        thread = threading.Thread(target=str)
        thread.start()
        thread.join()
"""


def run_pytest(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Run one test file under the guard, as a test of a folder whose tests start processes."""
    place = folder / "e2e"
    place.mkdir()
    (place / "test_planted.py").write_text(textwrap.dedent(source))
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.support.leaks"]\n')
    (folder / "pytest.ini").write_text(INI)
    options = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", f"--basetemp={folder / 'tmp'}"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(place)],
        cwd=folder, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="processes are watched through /proc")
@pytest.mark.parametrize("kind", LEAKY)
def test_a_leak_fails_its_test(kind: str, tmp_path: Path) -> None:
    """A test that leaves something behind fails and names what it left."""
    done = run_pytest(tmp_path, LEAKY[kind])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "left behind" in done.stdout
    assert "1 passed, 1 error" in done.stdout


def test_a_tidy_test_passes(tmp_path: Path) -> None:
    """A test that ends its tasks, threads, children and descriptors is left alone."""
    done = run_pytest(tmp_path, TIDY)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stray_is_ended(tmp_path: Path) -> None:
    """What a test left is killed, so that the next test starts clean."""
    run_pytest(tmp_path, LEAKY["stray with a clean environment"])
    assert not leaks.find_strays("no such run", tmp_path)
