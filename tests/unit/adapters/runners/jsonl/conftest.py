"""Headless children on the stage of the runners."""

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.rpc.schema import schema_fault
from tests.support.lineschild import Make, maker
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


@pytest.fixture
def transcripts() -> ListedTranscripts:
    """Transcripts in memory."""
    return ListedTranscripts()


@pytest.fixture
def make(here: Stage, processes: LinuxProcesses, transcripts: ListedTranscripts) -> Make:
    """Make children whose agent plays steps; further fields are its profile's."""
    host = Host(processes, transcripts, ("shim",), "/run/s.sock", here.folder / "scratch")
    return maker(here, LinesRunner(host, schema_fault))
