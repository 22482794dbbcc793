"""How an agent of the user's table is pointed at another model, so that it asks nobody else."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any, Final

HOME: Final = "home"
"""Folder in a child's scratch folder that stands in for the user's home."""
STARTED: Final = frozenset({"acp", "jsonl", "claude", "codex"})
"""Runners whose children are programs that ask a model."""
MODEL: Final = "model"

Table = dict[str, Any]


def point(name: str, profile: Table, loopback: str) -> Table | None:
    """Change a profile so that its model is the one on this machine.

    Args:
        name: Name of the agent.
        profile: Its table in `agents.toml`.
        loopback: Address of the model.

    Returns:
        The changed table; none where no way is known.
    """
    if profile.get("runner") == MODEL:
        return _point_loop(profile, loopback)
    recipe = _recipe_of(name, profile)
    if recipe is None:
        return None
    made = {f"{HOME}/.made": ""}
    files = {f"{HOME}/{path}": text for path, text in recipe.get("files", {}).items()}
    words = {"{loopback}": loopback}
    return {
        **profile,
        "env": {
            **profile.get("env", {}),
            "HOME": "{scratch}/" + HOME,
            **_filled(recipe.get("env", {}), words),
        },
        "files": {**profile.get("files", {}), **made, **_filled(files, words)},
    }


def _point_loop(profile: Table, loopback: str) -> Table:
    """Point the loop inside the daemon; it needs no key then."""
    kept = {word: value for word, value in profile.items() if word != "key_from"}
    path = "" if profile.get("dialect") == "anthropic" else "/v1"
    return {**kept, "endpoint": loopback + path, "model": "stub-model"}


def _recipe_of(name: str, profile: Table) -> Table | None:
    """Find the recipe of the program that a profile starts, whatever the user calls it."""
    if profile.get("runner") not in STARTED:
        return None
    words = (*(PurePath(word).name for word in profile.get("command", ())), name)
    for word in words:
        for family, recipe in _recipes().items():
            if word == family or word.startswith(f"{family}-"):
                return recipe
    return None


def _filled(texts: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    return {name: _fill(text, words) for name, text in texts.items()}


def _fill(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@cache
def _recipes() -> Mapping[str, Table]:
    text = resources.files("subsession.doctor").joinpath("recipes.toml").read_text("utf-8")
    return tomllib.loads(text)
