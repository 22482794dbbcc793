import pytest

from subsessiond.adapters.processes import child_environment

HOST = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/ada",
    "USER": "ada",
    "LANG": "C",
    "LC_TIME": "de_DE.UTF-8",
    "TMPDIR": "/var/tmp/ada",
    "TERM": "xterm-256color",
    "SSH_AUTH_SOCK": "/tmp/agent",
    "ANTHROPIC_API_KEY": "sk-secret",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "CODEX_SANDBOX": "seatbelt",
    "SUBSESSION_NODE": "outer",
    "SUBSESSION_TOKEN": "outer-token",
    "LC_ODD": "\udcff",
}


def build(*allow: str, **extra: str) -> dict[str, str]:
    """Build an environment from the host above."""
    pairs = child_environment(
        HOST,
        allow=allow,
        extra=extra,
        node_id="n1",
        token="t1",
        socket="/run/s",
        bin_dir="/opt/bin",
    )
    assert [name for name, _ in pairs] == sorted({name for name, _ in pairs})
    return dict(pairs)


@pytest.mark.scenario("S13")
def test_nothing_passes_that_was_not_named() -> None:
    """A child sees its user's home, language and folders, our own words, and nothing else."""
    assert build() == {
        "PATH": "/opt/bin:/usr/bin:/bin",
        "HOME": "/home/ada",
        "USER": "ada",
        "LANG": "C",
        "LC_TIME": "de_DE.UTF-8",
        "TMPDIR": "/var/tmp/ada",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "SUBSESSION_NODE": "n1",
        "SUBSESSION_TOKEN": "t1",
        "SUBSESSION_SOCKET": "/run/s",
    }


def test_configuration_lets_named_secrets_through() -> None:
    """An operator names what a profile's agent needs."""
    assert build("ANTHROPIC_API_KEY")["ANTHROPIC_API_KEY"] == "sk-secret"
    assert "SSH_AUTH_SOCK" not in build("ANTHROPIC_API_KEY")


def test_wide_patterns_pass_no_marker_of_the_host() -> None:
    """Even `*` does not make a child believe that it runs inside the host's session."""
    wide = build("*")
    assert wide["SSH_AUTH_SOCK"] == "/tmp/agent"
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX"} & wide.keys()
    assert wide["SUBSESSION_NODE"] == "n1"
    assert wide["SUBSESSION_TOKEN"] == "t1"


def test_configured_values_win_but_for_who_the_child_is() -> None:
    """A profile may set what it likes, except identity; its PATH still finds our command first."""
    env = build(TERM="xterm", PATH="/only", SUBSESSION_NODE="other", CLAUDECODE="0")
    assert env["TERM"] == "xterm"
    assert env["PATH"] == "/opt/bin:/only"
    assert env["SUBSESSION_NODE"] == "n1"
    assert env["CLAUDECODE"] == "0"


def test_an_empty_host_still_makes_a_usable_environment() -> None:
    """Started by a service manager with nothing, a child has a PATH and a language."""
    env = dict(
        child_environment({}, allow=(), extra={}, node_id="n", token="t", socket="s", bin_dir="")
    )
    assert env["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    assert env["LANG"] == "C.UTF-8"
