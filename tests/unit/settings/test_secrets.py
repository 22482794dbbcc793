from pathlib import Path

from subsessiond.model.policy import Policy
from subsessiond.model.role import AgentProfile
from subsessiond.settings import load
from subsessiond.settings.secrets import SecretValues, find_secrets

AGENT = AgentProfile(
    name="a", runner="command", env=(("MY_API_KEY", "from-agent"), ("MODE", "loud"))
)
POLICY = Policy(agents=(AGENT,))
ENVIRON = {
    "PIN": "four-eyes",
    "X_TOKEN": "from-outside",
    "Y_TOKEN": "not-passed",
    "HOME": "/home/me",
}


def test_values_are_gathered() -> None:
    """Named variables count; so do those that agents are given, when their names say secret."""
    found = find_secrets(ENVIRON, ("PIN",), ("X_*", "HOME"), POLICY)
    assert found.values == ("four-eyes", "from-outside", "from-agent")
    assert found.warnings == ()
    assert find_secrets(ENVIRON, (), ("X_TOKEN",), Policy()).values == ("from-outside",)


def test_names_that_give_nothing_are_told() -> None:
    """A variable that is not set and one too short are named, without any value."""
    found = find_secrets({"PIN": "12345"}, ("PIN", "GONE"), (), Policy())
    assert found.values == ()
    assert found.warnings == (
        "PIN has fewer than 6 characters and is not looked for",
        "GONE is not set in the environment of this daemon",
    )


def test_values_are_not_shown(tmp_path: Path) -> None:
    """What is printed of the settings holds no secret."""
    assert repr(SecretValues(values=("four-eyes",))) == "SecretValues(1 values)"
    (tmp_path / "subsessiond.toml").write_text('[secrets]\nvalues_from = ["PIN"]')
    settings = load(ENVIRON, state_dir="/state", config_dir=str(tmp_path))
    assert settings.secrets.values == ("four-eyes",)
    assert "four-eyes" not in repr(settings)
