"""Exit statuses, and how a fault becomes one sentence and one of them. They are an interface."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

DONE = 0
DIFFERS = 1
FAULT = 70
HELD = 75
CONFIG = 78

LEGEND = (
    "exit status: 0 done, or stopped as asked; 1 a unit is there already and says something else, "
    "or two passphrases differ; "
    "70 a fault ended it; 75 another daemon serves this state directory; 78 the configuration is "
    "wrong"
)


class Ended(Exception):
    """The command has said what it met; this is its status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@contextmanager
def faults_told() -> Iterator[None]:
    """Turn every fault into one sentence on standard error.

    Raises:
        Ended: with the status.
    """
    from subsessiond.adapters.lock import StateHeldFault
    from subsessiond.model.process import ProcessFault
    from subsessiond.ports import ConfigFault, StoreFault
    from subsessiond.rpc.socketfile import SocketFault

    try:
        yield
    except ConfigFault as fault:
        raise tell(str(fault), CONFIG) from fault
    except StateHeldFault as fault:
        raise tell(str(fault), HELD) from fault
    except ProcessFault as fault:
        raise tell(f"[processes] container: {fault}", CONFIG) from fault
    except (StoreFault, SocketFault) as fault:
        raise tell(str(fault), FAULT) from fault
    except OSError as fault:
        raise tell(_of_system(fault), FAULT) from fault
    except BaseExceptionGroup as bugs:
        raise tell(f"a bug ended it: {bugs.exceptions[0]!r}; see its log", FAULT) from bugs


def tell(sentence: str, status: int) -> Ended:
    """Say what went wrong, in one line; gives what ends the command."""
    print(f"subsessiond: {' '.join(sentence.split())}", file=sys.stderr)
    return Ended(status)


def _of_system(fault: OSError) -> str:
    where = f"{fault.filename}: " if fault.filename else ""
    return f"{where}{fault.strerror or fault}"
