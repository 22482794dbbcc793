"""`subsession doctor --probe` with public agents: our tools reach the model on this machine."""

import pytest

from subsession.cli import exits
from tests.e2e.test_doctor import looked
from tests.support.daemon import Daemon
from tests.support.rigs import BIN

# Two that start fast, one by each way of speaking; by hand `subsession doctor --probe` tries all.
AGENTS = {"claude": "claude", "pi-acp": "pi-acp"}


@pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone")
def test_agents_are_proven_to_be_offered_our_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reports by them, and her own home is not looked at."""
    here = [name for name, program in AGENTS.items() if (BIN / program).exists()]
    if not here:
        pytest.skip("not for this platform")
    path = f"{BIN}:/usr/local/bin:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    with Daemon(environ={"PATH": path, "HOME": "/nowhere"}) as daemon:
        code, found = looked(daemon, "--probe", *here)
    assert code == exits.OK, found
    assert all("reported by ours" in found[name]["said"] for name in here)
