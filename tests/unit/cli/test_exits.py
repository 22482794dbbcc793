import pytest

from subsessiond.adapters.lock import StateHeldFault
from subsessiond.cli.exits import CONFIG, FAULT, HELD, LEGEND, Ended, faults_told
from subsessiond.model.process import ProcessFault
from subsessiond.ports import ConfigFault, StoreFault
from subsessiond.rpc.socketfile import SocketFault


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (ConfigFault("roles.toml: [a] tier", "is missing"), CONFIG, "roles.toml: [a] tier"),
        (StateHeldFault("another daemon serves /x"), HELD, "another daemon"),
        (ProcessFault("no cgroup"), CONFIG, "[processes] container: no cgroup"),
        (StoreFault("the store is newer"), FAULT, "the store is newer"),
        (SocketFault("/x is no socket"), FAULT, "/x is no socket"),
        (PermissionError(13, "Permission denied", "/x"), FAULT, "/x: Permission denied"),
        (OSError("odd"), FAULT, "odd"),
        (ExceptionGroup("g", [KeyError("a bug")]), FAULT, "a bug ended it: KeyError('a bug')"),
        (StoreFault("two\nlines"), FAULT, "two lines"),
    ],
)
def test_every_fault_is_one_sentence_and_a_documented_status(
    fault: Exception, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each kind of fault is told in one line on standard error and has its own status."""
    with pytest.raises(Ended) as caught, faults_told():
        raise fault
    out, err = capsys.readouterr()
    assert caught.value.status == status
    assert out == ""
    assert err.startswith("subsessiond: ")
    assert err.count("\n") == 1
    assert words in err
    assert str(status) in LEGEND


def test_what_is_no_fault_passes() -> None:
    """A block that ends well, and an interruption, go through untouched."""
    with faults_told():
        pass
    with pytest.raises(KeyboardInterrupt), faults_told():
        raise KeyboardInterrupt
