"""What the engine needs of the world: one Protocol a need, shapes only.

Real parts stand in `subsessiond.adapters`; fakes stand in the tests. One contract suite holds both.

storage      the registry, and each child's readable record     processes   containers and guests
runners      how children live and speak back                   workspace   folders on disk
transcripts  what goes between the daemon and a child           clock       time and names
people       who calls, and how the person hears                faults      what can go wrong
"""

from subsessiond.ports.clock import Clock, IdSource
from subsessiond.ports.faults import (
    ConfigFault,
    RunnerFault,
    StoreFault,
    WorkspaceBusy,
    WorkspaceFault,
)
from subsessiond.ports.people import Notifier, Peers
from subsessiond.ports.processes import Guest, Guests, Process, Processes
from subsessiond.ports.runners import (
    ChildOrder,
    ChildTools,
    OfferedTool,
    Runner,
    RunningChild,
    Scrubs,
    Stamps,
    ToolAnswer,
    Voice,
)
from subsessiond.ports.storage import (
    Acceptances,
    Agent,
    Batch,
    JournalLine,
    JournalRecord,
    Journals,
    Loaded,
    Store,
)
from subsessiond.ports.transcripts import (
    Transcript,
    TranscriptData,
    TranscriptEntry,
    TranscriptPage,
    Transcripts,
)
from subsessiond.ports.workspace import Workspace

__all__ = [
    "Acceptances",
    "Agent",
    "Batch",
    "ChildOrder",
    "ChildTools",
    "Clock",
    "ConfigFault",
    "Guest",
    "Guests",
    "IdSource",
    "JournalLine",
    "JournalRecord",
    "Journals",
    "Loaded",
    "Notifier",
    "OfferedTool",
    "Peers",
    "Process",
    "Processes",
    "Runner",
    "RunnerFault",
    "RunningChild",
    "Scrubs",
    "Stamps",
    "Store",
    "StoreFault",
    "ToolAnswer",
    "Transcript",
    "TranscriptData",
    "TranscriptEntry",
    "TranscriptPage",
    "Transcripts",
    "Voice",
    "Workspace",
    "WorkspaceBusy",
    "WorkspaceFault",
]
