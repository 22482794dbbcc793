"""Starting loops: endpoint, key, library."""

import importlib.util
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.model.runner import (
    ModelRunner,
    endpoint_of,
    is_installed,
    load_provider,
    problem_of,
)
from subsessiond.model.role import AgentProfile
from subsessiond.ports import RunnerFault
from tests.support.childtools import StageTools
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

LOOP = AgentProfile(name="loop", runner="model", endpoint="http://host/v1", model="m")


def profile(**fields: Any) -> AgentProfile:
    """Make a profile."""
    given = {"name": "loop", "runner": "model", "endpoint": "http://host/v1", "model": "m"}
    return AgentProfile(**{**given, **fields})


def test_an_endpoint_has_its_key_from_the_environment() -> None:
    """It is never shown, not even where the endpoint is printed."""
    endpoint = endpoint_of(profile(key_from="KEY"), {"KEY": "secret"})
    assert (endpoint.key, endpoint.url) == ("secret", "http://host/v1")
    assert "secret" not in f"{endpoint!r} {endpoint}"
    assert endpoint_of(profile(), {"KEY": "secret"}).key == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"endpoint": ""}, "names no endpoint"),
        ({"model": ""}, "no model"),
        ({"key_from": "KEY"}, "takes its key from KEY, which is not set"),
        ({"endpoint": "host/v1"}, "no http or https address"),
        ({"endpoint": "http://"}, "no http or https address"),
        ({"endpoint": "http://host:port"}, "no http or https address"),
        ({"endpoint": "http://[broken"}, "no http or https address"),
    ],
)
async def test_a_profile_that_names_no_model_starts_nothing(
    here: Stage, processes: LinuxProcesses, fields: dict[str, Any], words: str
) -> None:
    """The sentence says which agent, and what is missing."""
    runner = ModelRunner(processes, StageTools(here.voice), ListedTranscripts(), {"OTHER": "x"})
    order = await here.order(profile(**fields), role="worker")
    with pytest.raises(RunnerFault, match=f"agent loop.*{words}"):
        runner.start(order, here.voice)
    assert words in problem_of(profile(**fields), {"OTHER": "x"})
    assert problem_of(profile(), {}) == ""


async def test_without_the_library_the_sentence_says_what_to_install(
    here: Stage, processes: LinuxProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is started, and nothing was loaded to find out."""
    assert is_installed()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert not is_installed()
    assert problem_of(LOOP, {}).startswith("the runner model needs pydantic-ai")
    runner = ModelRunner(processes, StageTools(here.voice), ListedTranscripts(), {})
    order = await here.order(LOOP, role="worker")
    with pytest.raises(
        RunnerFault, match=r"install subsessiond with its extra, subsessiond\[model\]"
    ):
        runner.start(order, here.voice)


def test_a_library_that_is_not_whole_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be imported is named."""

    def refuse(name: str) -> Any:
        raise ImportError(f"no module for {name.rpartition('.')[2]}")

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(RunnerFault, match=r"subsessiond\[model\] \(no module for provider\)"):
        load_provider()
