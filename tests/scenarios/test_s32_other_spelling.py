"""S32: one file has one name, however it is spelled."""

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of, scenario

CASELESS = tables(more="[files]\nfold_case = true\n\n[processes]\nterm_grace_ms = 500\n")
COMPOSED = unicodedata.normalize("NFC", "src/app/caf\u00e9.py")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


def claim(yard: Yard, *globs: str, **params: Any) -> Any:
    """Ask for files without starting anything."""
    brief = {"ownedGlobs": list(globs)}
    return yard.spawn("hand", argv=["true"], brief=brief, checkOnly=True, **params)


def hold(yard: Yard, *globs: str) -> str:
    """Start a child that owns files."""
    return yard.hire("sleep", "600", role="hand", brief={"ownedGlobs": list(globs)})


@pytest.mark.scenario("S32")
def test_every_alias_of_a_held_file_is_refused() -> None:
    """Dots, double slashes, absolute paths, links and accents meet the claim they mean."""
    with scenario(tables()) as yard:
        (yard.workspace / "src" / "app").mkdir(parents=True)
        (yard.workspace / "src" / "lib").mkdir()
        (yard.workspace / "alias").symlink_to("src/app")
        (yard.workspace / "far").symlink_to(yard.workspace / "src")
        holder = hold(yard, "src/app/*")
        for alias in (
            "./src/app/x.py",
            "src//app/x.py",
            "src/lib/../app/x.py",
            "src/app/",
            f"{yard.workspace}/src/app/x.py",
            f"{yard.workspace}//src/./app/x.py",
            "alias/x.py",
            "alias/",
            "far/app/x.py",
            "{alias,elsewhere}/x.py",
            COMPOSED,
            DECOMPOSED,
        ):
            refusal = refusal_of(claim, yard, alias)
            assert (refusal.code, refusal.sibling) == ("SCOPE_OVERLAP", holder), alias
            assert refusal.paths[:2] == (alias, "src/app/*")
        assert claim(yard, "src/lib/x.py", "src/apple/x.py", "src/app2/")["wouldAdmit"] is True


@pytest.mark.scenario("S32")
def test_two_spellings_of_an_accent_are_one_name() -> None:
    """A composed and a decomposed accent name the same file, and the claim holds one form."""
    with scenario(tables()) as yard:
        holder = hold(yard, DECOMPOSED)
        assert yard.call("subsession.node", nodeId=holder)["owns"] == [COMPOSED]
        assert refusal_of(claim, yard, COMPOSED).sibling == holder


@pytest.mark.scenario("S32")
@pytest.mark.parametrize("folded", [True, False])
def test_letter_case_counts_as_the_setting_says(folded: bool) -> None:
    """SRC/App/x.py is src/app/x.py where case is folded, and another file where it is not."""
    with scenario(CASELESS if folded else tables()) as yard:
        hold(yard, "src/app/*")
        if folded:
            refusal = refusal_of(claim, yard, "SRC/App/x.py")
            assert refusal.code == "SCOPE_OVERLAP"
            assert refusal.paths[0] == "SRC/App/x.py"
        else:
            assert claim(yard, "SRC/App/x.py")["wouldAdmit"] is True


@pytest.mark.scenario("S32")
def test_what_leaves_the_workspace_or_is_no_path_is_refused_by_its_field() -> None:
    """The brief is refused before any claim is compared, and the exact field is named."""
    with scenario(tables()) as yard:
        (yard.workspace / "out").symlink_to("/etc")
        (yard.workspace / "up").symlink_to("..")
        for bad in (
            "../outside/x",
            "/etc/x",
            "",
            "a\0b",
            "src/../../x",
            "out/x",
            "up/x",
            "[a",
            "{",
        ):
            refusal = refusal_of(claim, yard, "fine/*", bad)
            assert refusal.code == "BRIEF_INVALID", bad
            assert [path for path, _ in refusal.fields] == ["brief.ownedGlobs[1]"], bad
            assert not bad or bad not in refusal.message


@pytest.mark.scenario("S32")
def test_a_link_that_leads_nowhere_or_in_circles_hangs_nobody() -> None:
    """A dangling link is a name like any other; a circle is refused; both are told at once."""
    with scenario(tables()) as yard:
        link(yard.workspace / "dangling", "not-there")
        link(yard.workspace / "one", "two")
        link(yard.workspace / "two", "one")
        link(yard.workspace / "self", "self")
        holder = hold(yard, "not-there/*")
        refusal = refusal_of(claim, yard, "dangling/x")
        assert (refusal.code, refusal.sibling) == ("SCOPE_OVERLAP", holder)
        for circle in ("one/x", "self/x", "two/"):
            refusal = refusal_of(claim, yard, circle)
            assert (refusal.code, refusal.fields[0][0]) == ("BRIEF_INVALID", "brief.ownedGlobs[0]")
        assert yard.call("daemon.health")["ok"] is True


def link(path: Path, target: str) -> None:
    """Make a link, wherever it leads."""
    os.symlink(target, path)


@pytest.mark.scenario("S32")
def test_the_stored_claim_is_the_normal_form() -> None:
    """What a node owns is shown as it is compared, whatever its brief said."""
    with scenario(tables()) as yard:
        (yard.workspace / "real").mkdir()
        (yard.workspace / "alias").symlink_to("real")
        spelled = ["./a//b/../c.py", "alias/x", f"{yard.workspace}/d/", "e/**"]
        node = hold(yard, *spelled)
        shown = yard.call("subsession.node", nodeId=node)
        assert shown["owns"] == ["a/c.py", "real/x", "d/**", "e/**"]
        assert shown["brief"]["ownedGlobs"] == spelled
