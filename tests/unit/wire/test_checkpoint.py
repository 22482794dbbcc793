from subsessiond.model.checkpoint import Checkpoint
from subsessiond.wire.checkpoint import checkpoint_size_bytes, parse_checkpoint

WHOLE = {"phase": "p", "state": "s", "nextStep": "n", "decisions": ["d"], "files": ["f"]}


def test_a_checkpoint_is_read() -> None:
    """Each field arrives where it belongs."""
    assert parse_checkpoint(WHOLE) == Checkpoint(
        phase="p", state="s", next_step="n", decisions=("d",), files=("f",)
    )


def test_decisions_and_files_may_be_left_out() -> None:
    """Phase, state and next step are enough."""
    raw = {"phase": "p", "state": "s", "nextStep": "n"}
    assert parse_checkpoint(raw) == Checkpoint(phase="p", state="s", next_step="n")


def test_every_bad_field_is_named() -> None:
    """All faults come together."""
    faults = parse_checkpoint({"phase": "", "state": 1, "decisions": ["d", None], "x": 1})
    assert isinstance(faults, tuple)
    assert [fault.path for fault in faults] == [
        "phase",
        "state",
        "nextStep",
        "decisions[1]",
        "x",
    ]


def test_it_is_measured_as_compact_json() -> None:
    """Size does not depend on the caller's spaces, and needs no valid shape."""
    assert checkpoint_size_bytes({"phase": 1}) == len(b'{"phase":1}')
