"""The methods, one verb a file where it is more than a few lines.

A method reads parameters, asks the disk where it must, stamps time, id and caller on a command and
submits it; or it shows a view of the published tree. It decides nothing.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from subsessiond.rpc.call import Handler
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods import (
    attach,
    blocked,
    caller,
    cancel,
    checkpoint,
    daemon,
    discover,
    inbox,
    journal,
    node,
    open,
    plan,
    receipt,
    report,
    roles,
    spawn,
    stats,
    steer,
    subscribe,
    succeed,
    tables,
    transcript,
    tree,
    unread,
)
from subsessiond.rpc.rights import guarded

_METHODS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "subsession.open": open.open_root,
        "subsession.spawn": spawn.spawn,
        "subsession.plan": plan.plan,
        "subsession.report": report.report,
        "subsession.checkpoint": checkpoint.checkpoint,
        "subsession.receipt": receipt.receipt,
        "subsession.succeed": succeed.succeed,
        "subsession.attach": attach.attach,
        "subsession.tree": tree.tree,
        "subsession.node": node.node,
        "subsession.inbox": inbox.inbox,
        "subsession.unread": unread.unread,
        "subsession.steer": steer.steer,
        "subsession.cancel": cancel.cancel,
        "subsession.blocked": blocked.blocked,
        "subsession.handover": blocked.handover,
        "subsession.dismiss": blocked.dismiss,
        "subsession.release": blocked.release,
        "subsession.close": cancel.close,
        "subsession.journal": journal.journal,
        "subsession.transcript": transcript.transcript,
        "subsession.stats": stats.stats,
        "events.subscribe": subscribe.subscribe,
        "subsession.acceptRole": roles.accept,
        "roles.list": roles.roles,
        "agents.list": tables.agents,
        "daemon.info": daemon.about,
        "daemon.caller": caller.caller,
        "daemon.health": daemon.health,
        "daemon.stats": daemon.stats,
        "daemon.shutdown": daemon.shutdown,
        "daemon.reload": daemon.reload,
        "rpc.discover": discover.discover,
    },
)


def handlers(desk: Desk) -> Mapping[str, Handler]:
    """Give every method of `wire.methods.METHODS`, bound to a desk and guarded."""
    return {name: guarded(desk, name, partial(run, desk)) for name, run in _METHODS.items()}
