"""What a shell is given to complete words with, and what it makes of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from subsession.cli import build_verbs, exits, main

BASH = shutil.which("bash")
COMPLETE = r"""
eval "$1"; shift
[[ $(complete -p subsession) == *"-F "* ]] || exit 9
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
function=$(complete -p subsession); function=${function##*-F }; "${function%% *}"
printf '%s\n' "${COMPREPLY[@]}"
"""
"""Takes the script in, then completes the last of its words as the key would."""


def script_for(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Give the script that is printed for a shell."""
    assert main(["completion", shell]) == exits.OK
    return capsys.readouterr().out


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_accepts_its_script(capsys: pytest.CaptureFixture[str]) -> None:
    """The script for bash parses, and nothing is said about it."""
    script = script_for("bash", capsys)
    checked = subprocess.run(
        ["bash", "-n"], input=script, capture_output=True, text=True, timeout=10, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ch"], {"checkpoint"}),
        (["tr"], {"tree"}),
        (["run", "--dead"], {"--deadline"}),
        (["wait", "--a"], {"--all", "--any"}),
        (["--st"], {"--state-dir"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["report", "text", "--stage", "f"], {"final", "finding"}),
        (["spawn", "--brief", "br"], {"brief.json"}),
        (["open", ""], {"folder"}),
    ],
)
def test_bash_completes_verbs_options_and_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, typed: list[str], offered: set[str]
) -> None:
    """A bash that took the script in offers what may stand at that place, and nothing else."""
    (tmp_path / "brief.json").touch()
    (tmp_path / "folder").mkdir()
    order = ["bash", "--norc", "-c", COMPLETE, "bash", script_for("bash", capsys), "subsession"]
    done = subprocess.run(
        [*order, *typed], cwd=tmp_path, capture_output=True, text=True, timeout=10, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == offered


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_every_verb_is_completed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """No verb is left out, this one included."""
    order = ["bash", "--norc", "-c", COMPLETE, "bash", script_for("bash", capsys), "subsession", ""]
    done = subprocess.run(
        order, cwd=tmp_path, capture_output=True, text=True, timeout=10, check=False
    )
    actions = build_verbs().parser._actions  # noqa: SLF001 -- argparse has no other way to ask
    (verbs,) = (action for action in actions if action.dest == "verb")
    assert set(done.stdout.split()) == set(verbs.choices or ())
    assert {"spawn", "tree", "completion"} <= set(done.stdout.split())


@pytest.mark.parametrize(("shell", "mark"), [("zsh", "#compdef subsession"), ("fish", "complete")])
def test_other_shells_get_theirs(capsys: pytest.CaptureFixture[str], shell: str, mark: str) -> None:
    """Each shell is spoken to in its own words, and accepts them where it is installed."""
    script = script_for(shell, capsys)
    assert mark in script
    assert "--state-dir" in script or "state-dir" in script
    if found := shutil.which(shell):
        checked = subprocess.run(
            [found, "-n"], input=script, capture_output=True, text=True, timeout=10, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_it_answers_in_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the script is a member of the document."""
    assert main(["--json", "completion", "bash"]) == exits.OK
    found = json.loads(capsys.readouterr().out)
    assert found["shell"] == "bash"
    assert "complete" in found["script"]


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A shell without a script is named with those that have one."""
    with pytest.raises(SystemExit) as ended:
        main(["completion", "cmd"])
    assert ended.value.code == exits.USAGE
    assert "bash" in capsys.readouterr().err


def test_no_other_verb_loads_what_writes_scripts() -> None:
    """The command line starts without it: completion is asked for once, other verbs often."""
    order = (
        "import sys; from subsession.cli import main;"
        "main(['status', '--state-dir', '/nonexistent']); print('shtab' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", order],
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    assert done.stdout.endswith("False\n")
