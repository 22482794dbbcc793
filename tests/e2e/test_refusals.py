"""Every canonical refusal, as a caller outside meets it: a number, data to branch on, a sentence.

`pytest -s` or `python -m tests.support.refusals` shows all sentences.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from subsession.errors import Misused, Refusal
from subsessiond.model.rejection import Code
from subsessiond.wire.errors import INVALID_PARAMS
from tests.support.closing import marked, within
from tests.support.daemon import Daemon
from tests.support.provoke import CONFIG
from tests.support.refusals import CASES, FACTS, Case
from tests.support.yard import Yard, refusal_of

MIB = 1024 * 1024
SECRET = "hunter2"
NODE = "0" * 26


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """One daemon for all cases; each has a root of its own in it."""
    with Daemon(config=CONFIG) as made:
        yield made
        within(lambda: marked(made.rows()), "processes of nodes")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.provoke.__name__)
def test_a_refusal_is_told_in_full(daemon: Daemon, case: Case) -> None:
    """Number, code, step, the facts that fit and no others, and what happened and what to do."""
    with Yard(daemon, case.provoke.__name__) as yard:
        refusal = case.provoke(yard)
    print(f"{refusal.number} {refusal.code} [{refusal.step}] {refusal.message}")  # noqa: T201
    assert (refusal.number, refusal.code, refusal.step) == (
        case.code.number,
        case.code.name,
        case.step,
    )
    retryable = case.code.retryable if case.retryable is None else case.retryable
    assert refusal.retryable is retryable
    assert told(refusal) == set(case.facts)
    assert refusal.message.startswith(case.code.sentence)
    assert [words for words in case.says if words not in refusal.message] == []


def told(refusal: Refusal) -> set[str]:
    """Name the facts that a refusal tells."""
    return {fact for fact in FACTS if getattr(refusal, fact) not in (None, ())}


def test_the_table_has_every_code() -> None:
    """No refusal can be added without a case that provokes it from outside."""
    assert {case.code for case in CASES} == set(Code)


MALFORMED: Final[dict[str, tuple[str, dict[str, Any], dict[str, str]]]] = {
    "missing grants": (
        "subsession.handover",
        {"nodeId": NODE, "action": "grant"},
        {"grants": "is required by action grant"},
    ),
    "two that do not belong": (
        "subsession.handover",
        {"nodeId": NODE, "action": "letter", "grants": {}, "answer": SECRET},
        {"grants": "goes with action grant alone", "answer": "goes with action answer alone"},
    ),
    "no such folder": (
        "subsession.open",
        {"workspace": f"/{SECRET}"},
        {"workspace": "cannot be opened: No such file or directory"},
    ),
    "a relative folder": (
        "subsession.open",
        {"workspace": SECRET},
        {"workspace": "cannot be opened: its path must be absolute"},
    ),
    "events without a stream": (
        "events.subscribe",
        {},
        {"transport": "must be a WebSocket (GET /ws): events are pushed"},
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_cannot_be_taken_is_a_bad_field_and_no_refusal(daemon: Daemon, case: str) -> None:
    """Whoever may do this but not so gets the standard code and the field, and no value of it."""
    method, params, fields = MALFORMED[case]
    with pytest.raises(Misused) as caught:
        daemon.call(method, **params)
    assert caught.value.number == INVALID_PARAMS
    assert dict(caught.value.fields) == fields
    assert SECRET not in str(caught.value)


def test_a_bad_table_is_named_by_file_table_and_word(daemon: Daemon) -> None:
    """What a reload reads is the operator's own: it says where to mend it, and keeps the old."""
    roles = daemon.config / "roles.toml"
    before = daemon.call("roles.list")
    good = roles.read_text("utf-8")
    for damage, place in (
        ("\n[odd]\n", "roles.toml: [odd] tier"),
        ("\n[odd]\ntier = 5\n", "roles.toml: [odd] tier"),
        ("\n[odd\n", str(roles)),
    ):
        roles.write_text(good + damage, "utf-8")
        with pytest.raises(Misused) as caught:
            daemon.call("daemon.reload")
        ((path, problem),) = caught.value.fields
        assert (caught.value.number, path) == (INVALID_PARAMS, place)
        assert problem.endswith("; the tables there were stay")
        assert daemon.call("roles.list") == before
    roles.write_text(good, "utf-8")
    daemon.call("daemon.reload")


def test_a_report_too_large_is_that_though_it_is_malformed(daemon: Daemon) -> None:
    """Size is judged before shape: the limit and what was met are told, not the bad field."""
    with Yard(daemon, "large-and-bad") as yard:
        child = yard.speaker(brief={"reportContract": {"maxReportTokens": 50}})
        refusal = refusal_of(child.report, "ä" * 76, stage="final", outcome="maybe")
        fitting = refusal_of(child.report, "ä" * 20, stage="final", outcome="maybe")
    assert (refusal.code, refusal.limit) == ("REPORT_TOO_LARGE", 150)
    assert refusal.actual is not None
    assert refusal.actual > 2 * 76
    assert fitting.code == "REPORT_INVALID"


def test_a_refused_write_leaves_nothing_and_passes_later(daemon: Daemon) -> None:
    """What STORE_UNAVAILABLE refused did not happen, and the same call succeeds on a good disk."""
    case = next(case for case in CASES if case.code is Code.STORE_UNAVAILABLE)
    with Yard(daemon, "write-again") as yard:
        before = set(daemon.rows())
        case.provoke(yard)
        assert set(daemon.rows()) == before
        node = yard.hire("true")
        assert yard.wait(node, "released")["outcome"] == "completed"


@pytest.fixture
def small_disk() -> Iterator[Daemon]:
    """A daemon, not yet started, whose state directory is a disk of 100 MiB."""
    made = Daemon(config=CONFIG)
    made.state.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=100m,mode=0700", "tmpfs", str(made.state)]
    tried = subprocess.run(mount, capture_output=True, check=False)
    if tried.returncode:
        shutil.rmtree(made.folder)
        pytest.skip(f"a small disk cannot be mounted here: {tried.stderr.decode().strip()}")
    try:
        with made:
            yield made
            made.stop()
            subprocess.run(["umount", str(made.state)], check=True)
    finally:
        subprocess.run(["umount", str(made.state)], capture_output=True, check=False)


def fill(folder: Path, leave_bytes: int) -> Path:
    """Fill a disk but for so many bytes."""
    path = folder / "filler"
    size = shutil.disk_usage(folder).free - leave_bytes
    with path.open("wb") as file:
        for _ in range(size // MIB):
            file.write(bytes(MIB))
    return path


def test_a_disk_nearly_full_takes_nothing_new_and_lets_what_lives_end(small_disk: Daemon) -> None:
    """Below the low-water mark spawn, succeed and open are refused; checkpoint and final pass."""
    daemon = small_disk
    with Yard(daemon, "full") as yard:
        before = yard.settled()
        child = yard.speaker()
        filler = fill(daemon.state, 20 * MIB)
        refusals = (
            refusal_of(yard.spawn, argv=["true"]),
            refusal_of(yard.call, "subsession.succeed", childId=before),
            refusal_of(daemon.open),
        )
        for refusal in refusals:
            assert (refusal.code, refusal.step) == ("STORE_UNAVAILABLE", "disk")
            assert refusal.retryable
            assert "nearly full" in refusal.message
        child.call("subsession.checkpoint", phase="p", state="s", nextStep="n")
        child.final()
        assert yard.wait(child.node)["outcome"] == "completed"
        filler.unlink()
        assert yard.spawn(argv=["true"])["state"] == "claimed"
