"""What decides is pure: `model`, `core` and `wire` have no door to the outside."""

from pathlib import Path

import pytest

from tests.architecture import rules

ROOT = Path(__file__).parents[2]
PURE = ("subsessiond/model", "subsessiond/core", "subsessiond/wire")

PLANTED = {
    "async def f(): ...": rules.find_async,
    "def f(x):\n    return [y async for y in x]": rules.find_async,
    "def f():\n    return open('x')": rules.find_impure_calls,
    "def f(x):\n    return sorted(x, key=hash)": rules.find_impure_calls,
    "def f(id):\n    return id\ndef g(x):\n    return id(x)": rules.find_impure_calls,
    "def f():\n    global x": rules.find_globals,
    "x = []": rules.find_mutable_containers,
    "class C:\n    x: dict[str, int] = {}": rules.find_mutable_containers,
    "if True:\n    x = collections.defaultdict(int)": rules.find_mutable_containers,
    "x = {y for y in z}": rules.find_mutable_containers,
    "try:\n    x\nexcept Exception:\n    y": rules.find_broad_excepts,
    "try:\n    x\nexcept (ValueError, BaseException):\n    y": rules.find_broad_excepts,
    "try:\n    x\nexcept:\n    y": rules.find_broad_excepts,
    "class C:\n    claimed_at: float": rules.find_float_units,
    "def quiet_ms() -> float | None: ...": rules.find_float_units,
    "def f(cap_tokens: float): ...": rules.find_float_units,
}

ALLOWED = """
from types import MappingProxyType
__all__ = ["TABLE"]
TABLE = MappingProxyType({"a": ("b",)})
class Node:
    id: str
    ratio: float
    at_ms: int
def admit(id: str) -> list[str]:
    found = [id]
    try:
        return found
    except ValueError:
        return []
"""


def list_pure_files() -> list[str]:
    """Give the files of the pure packages, in order."""
    files = (path for folder in PURE for path in (ROOT / folder).rglob("*.py"))
    return sorted(str(path.relative_to(ROOT)) for path in files)


def test_there_are_pure_files() -> None:
    """Each pure package is found where it is looked for."""
    for folder in PURE:
        assert any(name.startswith(folder) for name in list_pure_files())


def test_pure_packages_are_pure() -> None:
    """No file of model, core or wire breaks a rule of purity."""
    broken = [
        f"{name}:{finding.line}: {finding.what}"
        for name in list_pure_files()
        for finding in rules.check(rules.PURITY, (ROOT / name).read_text())
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("source", PLANTED)
def test_each_rule_catches_its_violation(source: str) -> None:
    """A planted violation is found by its own rule and by no other."""
    rule = PLANTED[source]
    assert rules.check((rule,), source)
    others = tuple(other for other in rules.PURITY if other is not rule)
    assert not rules.check(others, source)


def test_every_rule_has_a_planted_violation() -> None:
    """No rule of purity goes unproven."""
    assert set(PLANTED.values()) == set(rules.PURITY)


def test_ordinary_pure_code_passes() -> None:
    """Constants, fields named `id` and local lists are no violation."""
    assert not rules.check(rules.PURITY, ALLOWED)
