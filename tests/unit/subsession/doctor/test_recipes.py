"""`subsession.doctor.recipes`."""

import tomllib
from importlib import resources
from typing import Any

import pytest

from subsession.doctor.recipes import point

URL = "http://127.0.0.1:1"
SHIPPED: dict[str, Any] = tomllib.loads(
    resources.files("subsessiond").joinpath("defaults/agents.toml").read_text("utf-8")
)["agents"]


@pytest.mark.parametrize("name", sorted(set(SHIPPED) - {"command", "plan"}))
def test_every_shipped_agent_can_be_pointed_elsewhere(name: str) -> None:
    """Its model is the one named, its home a folder of its own, and all else is as it was."""
    before = SHIPPED[name]
    after = point(name, before, URL)
    assert after is not None
    assert URL in str(after)
    assert after["runner"] == before["runner"]
    if before["runner"] == "model":
        assert "key_from" not in after
        return
    assert after["env"]["HOME"] == "{scratch}/home"
    assert "{loopback}" not in str(after)
    assert before.get("command") == after.get("command")
    assert before.get("files", {}).items() <= after["files"].items()


def test_an_agent_by_another_name_is_known_by_its_program() -> None:
    """The user's own table calls it what she likes."""
    mine = point("mine", {"runner": "acp", "command": ["/opt/bin/claude-agent-acp"]}, URL)
    assert mine is not None
    assert mine["env"]["ANTHROPIC_BASE_URL"] == URL


@pytest.mark.parametrize(
    "profile",
    [
        {"runner": "acp", "command": ["somebody-elses"]},
        {"runner": "command", "command": []},
        {"runner": "external"},
        {"runner": "scripted", "command": ["claude"]},
        {},
    ],
)
def test_what_is_not_known_is_not_pointed(profile: dict[str, Any]) -> None:
    """It could ask a model that costs something: it is not tried at all."""
    assert point("mine", profile, URL) is None
