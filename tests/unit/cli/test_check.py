from pathlib import Path

import pytest

from subsessiond.cli import main


@pytest.fixture(autouse=True)
def _not_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as no daemon's child: a child's environment names its daemon's socket."""
    monkeypatch.delenv("SUBSESSION_SOCKET", raising=False)


def check(folder: Path) -> int:
    """Type the verb."""
    return main(["check-config", "--state-dir", "/state", "--config-dir", str(folder)])


def test_it_says_what_the_configuration_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Places, containers, which agent serves each role, and the checks are shown."""
    (tmp_path / "subsessiond.toml").write_text(
        '[processes]\ncontainer = "descent"\n[checks]\ntests = ["pytest", "-k", "a b"]\n'
    )
    assert check(tmp_path) == 0
    said = capsys.readouterr().out
    assert "state directory  /state\n" in said
    assert "socket           /state/run/daemon.sock\n" in said
    assert f"configuration    {tmp_path}\n" in said
    assert "files            subsessiond.toml; as shipped: roles.toml agents.toml\n" in said
    assert "containers       descent\n" in said
    assert "granting         needs a terminal of your own and no passphrase\n" in said
    assert "role check        command (command)\n" in said
    assert "role lead         no agent serves tier lead\n" in said
    assert "check tests       pytest -k 'a b'\n" in said


def test_a_bad_word_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is said with file, table and word, and the status is that of configuration."""
    (tmp_path / "roles.toml").write_text('[a]\ntier = "t"\ncolour = "red"\n')
    assert check(tmp_path) == 78
    assert "subsessiond: roles.toml: [a] colour: there is no such word" in capsys.readouterr().err
