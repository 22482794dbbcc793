"""`subsession.doctor.verdict`."""

from typing import Any

from subsession.doctor.findings import State
from subsession.doctor.trial import Tried
from subsession.doctor.verdict import judge

ENDED = {"author": "child", "reason": "final-report"}


def tried(**fields: Any) -> Tried:
    """Give a trial that went well, but for some of it."""
    view = {"row": {"outcome": "completed"}, "envelope": ENDED}
    usual = {"agent": "pi", "view": view, "offered": ("read", "report"), "reported": True}
    return Tried(**{**usual, "took_s": 2.0, **fields})


def failed(**envelope: str) -> dict[str, Any]:
    """Give the view of a child that failed."""
    return {"row": {"outcome": "failed"}, "envelope": {"author": "runtime", **envelope}}


def test_a_report_that_arrived_is_proof() -> None:
    """The whole way was gone."""
    found = judge(tried())
    assert found.state is State.GOOD
    assert found.said == "tried: its model was offered 2 tools, reported by ours after 2.0 s"


def test_a_model_without_our_tools_is_told_with_what_it_had() -> None:
    """A few of their names, not all."""
    names = tuple(f"tool{n}" for n in range(10))
    view = failed(reason="ended-without-final")
    found = judge(tried(offered=names, reported=False, view=view))
    assert found.state is State.BAD
    assert "only tool0, tool1" in found.said
    assert "and 2 more" in found.said
    assert "failed, ended-without-final" in found.said
    assert "agents.toml" in found.next


def test_an_agent_that_never_asked_is_told_with_its_last_words() -> None:
    """What it printed says why, and is bounded."""
    view = failed(reason="start-failed", diagnostic="no such option --acp " * 100)
    found = judge(tried(offered=None, reported=False, view=view))
    assert found.state is State.BAD
    assert "never asked its model" in found.said
    assert "no such option" in found.said
    assert len(found.said) < 600


def test_what_has_not_ended_is_no_success() -> None:
    """Time was over: the report may have come, the end has not."""
    found = judge(tried(view={"row": {}}))
    assert found.state is State.BAD
    assert "had not ended" in found.said


def test_an_end_by_the_runtime_is_no_success() -> None:
    """The model reported, and somebody else wrote the end."""
    view = {"row": {"outcome": "completed"}, "envelope": {"author": "runtime"}}
    assert judge(tried(view=view)).state is State.BAD
