"""What holds for every test: the leak guard, the markers, and how hard hypothesis searches."""

import os
import re
import signal

import pytest
from hypothesis import HealthCheck, settings

# Why: what a shell starts in the background ignores Ctrl-C, and so would all that it starts;
# some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


pytest_plugins = ["tests.support.leaks"]

MARKERS = {
    "agents": "runs public agent CLIs, which scripts/agents installs",
    "serial": "runs in one worker, one after the other, never beside another serial test",
    "scenario(id, ...)": "the cases of real use this test stands for, S01 to S40",
}

# Why no deadline and no too_slow: a slow machine is not a failing test; pytest's timeout is.
settings.register_profile(
    "dev", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "ci", settings.get_profile("dev"), max_examples=100, derandomize=True, print_blob=True
)
settings.register_profile("deep", settings.get_profile("dev"), max_examples=5_000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_configure(config: pytest.Config) -> None:
    """Announce the markers; any other is an error."""
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Send serial tests to one worker and check the scenario ids."""
    for item in items:
        if item.get_closest_marker("serial"):
            item.add_marker(pytest.mark.xdist_group("serial"))
        for marker in item.iter_markers("scenario"):
            unknown = [name for name in marker.args if not is_scenario(name)]
            if unknown or not marker.args:
                message = f"{item.nodeid}: no such scenario: {unknown or 'none named'}"
                raise pytest.UsageError(message)


def is_scenario(name: object) -> bool:
    """Say whether a name is one of S01 to S40."""
    found = re.fullmatch(r"S(\d\d)", str(name))
    return found is not None and 1 <= int(found[1]) <= 40
