"""`settings`: the three files, all of them or nothing."""

from pathlib import Path

import pytest

from subsessiond.ports import ConfigFault
from subsessiond.settings import FILES, Settings, default_text, load


def load_from(folder: Path, **files: str) -> Settings:
    """Write configuration files and load them; `_` stands for a dot."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    return load({}, state_dir="/state", config_dir=str(folder))


def test_the_shipped_files_are_valid(tmp_path: Path) -> None:
    """Without files of one's own the shipped ones are in force, whole."""
    found = load_from(tmp_path)
    assert [role.name for role in found.policy.roles] == [
        *("check", "lead", "plan", "reader", "worker")
    ]
    agent = found.policy.agent_for("command")
    assert agent is not None
    assert agent.takes_operator_argv
    assert found.container is None
    assert found.checks == ()
    assert not found.headless
    shipped = {name.replace(".", "_"): default_text(name) for name in FILES}
    assert load_from(tmp_path, **shipped) == found


def test_a_role_whose_tier_nobody_serves_is_fine(tmp_path: Path) -> None:
    """A role may wait for an agent that is not configured yet."""
    found = load_from(tmp_path, roles_toml='[x]\ntier = "nobody"')
    role = found.policy.role("x")
    assert role is not None
    assert found.policy.agent_for(role.tier) is None


def test_checks_are_names_for_the_core_and_commands_for_the_edge(tmp_path: Path) -> None:
    """A brief may name a check; its command line stays with the operator's settings."""
    found = load_from(
        tmp_path,
        subsessiond_toml='[checks]\ntests = ["pytest", "-q"]\n[processes]\ncontainer = "pidns"',
        roles_toml='[x]\ntier = "t"\nverify = ["tests"]',
    )
    assert found.policy.checks == ("tests",)
    assert found.checks == (("tests", ("pytest", "-q")),)
    assert found.container == "pidns"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (b"= nonsense", "Invalid"),
        (b"\xff\xfe", "utf-8"),
        (None, "directory"),
    ],
    ids=["syntax", "bytes", "folder"],
)
def test_a_file_that_cannot_be_read_is_a_fault(
    tmp_path: Path, name: str, damage: bytes | None, words: str
) -> None:
    """What is no TOML, no text or no file is refused by its path."""
    if damage is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(damage)
    with pytest.raises(ConfigFault, match=f"{tmp_path / name}: cannot be read: ") as caught:
        load_from(tmp_path)
    assert words in str(caught.value)


def test_one_bad_word_refuses_everything(tmp_path: Path) -> None:
    """A fault in any of the files leaves nothing half loaded."""
    with pytest.raises(ConfigFault, match=r"agents\.toml"):
        load_from(tmp_path, roles_toml='[x]\ntier = "t"', agents_toml="[agents.a]")
