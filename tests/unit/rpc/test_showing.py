"""What callers over JSON-RPC are shown is counted."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from subsessiond.model.commands import Caller
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account
from subsessiond.model.rejection import Code
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.showing import showing
from subsessiond.rpc.shown import REPORT, SHOWING
from subsessiond.wire.errors import error_object
from subsessiond.wire.methods import METHODS
from tests.support.desk import PERSON, Bench, a_bench, as_node


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """Serve a registry on a folder of its own."""
    async with a_bench(tmp_path) as opened:
        yield opened


MODELS = {method.name: method.params for method in METHODS}


class Counted:
    """A bench whose methods count."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.methods: dict[str, Handler] = dict(showing(bench.desk, bench.methods))

    async def call(self, name: str, by: Caller, **params: Any) -> bytes:
        """Call a method, and give its answer's bytes."""
        answer = await self.methods[name](Call(by), MODELS[name].model_validate(params))
        return msgspec.json.encode(answer)

    async def account(self, node_id: str) -> Account:
        """Read what was counted of a node."""
        return (await self.bench.desk.ledger.of((NodeId(node_id),)))[NodeId(node_id)]


async def test_what_a_node_is_answered_is_counted_by_its_bytes(bench: Bench) -> None:
    """The bytes of the result, of the child that it is about."""
    here = Counted(bench)
    root = await bench.root()
    lead = await bench.child(root, role="lead")
    child = await bench.child(lead)
    await bench.finish(child, "all ☂ done")
    page = await here.call("subsession.tree", as_node(lead))
    mail = await here.call("subsession.inbox", as_node(lead))
    again = await here.call("subsession.inbox", as_node(lead))
    account = await here.account(child)
    assert (account.answers, account.mail) == (len(page), len(mail))
    assert account.again == len(again)
    assert (await here.account(lead)).general == 0


async def test_a_refusal_is_counted_by_the_bytes_of_its_error(bench: Bench) -> None:
    """Of the child that was named, or of none; it is raised as before."""
    here = Counted(bench)
    lead = await bench.child(await bench.root(), role="lead")
    child = await bench.child(lead)
    await bench.finish(child)
    for params, of in ((child, child), (lead, lead)):
        with pytest.raises(Refused) as raised:
            await here.call("subsession.steer", as_node(lead), nodeId=params, text="go")
        size = len(msgspec.json.encode(error_object(raised.value.rejection)))
        account = await here.account(of)
        assert size == (account.answers if of is child else account.general)
    assert raised.value.rejection.code is Code.NOT_FOUND


async def test_what_a_person_looks_at_is_not_counted(bench: Bench) -> None:
    """She is nobody's parent."""
    here = Counted(bench)
    root = await bench.root()
    child = await bench.child(root)
    await bench.finish(child)
    await here.call("subsession.tree", PERSON)
    await here.call("subsession.inbox", PERSON, nodeId=root)
    await here.call("subsession.node", PERSON, nodeId=child)
    assert await here.account(child) == Account(node_id=NodeId(child))


async def test_what_a_script_acknowledges_is_counted(bench: Bench) -> None:
    """A root that no agent drives was shown what its script says it has read."""
    here = Counted(bench)
    root = await bench.root()
    child = await bench.child(root)
    await bench.finish(child, "done")
    box = await bench.call("subsession.inbox", nodeId=root)
    (message,) = box["messages"]
    await here.call("subsession.inbox", PERSON, nodeId=root, acknowledge=[message["messageId"]])
    assert (await here.account(child)).mail == len(message["text"].encode())


async def test_other_methods_are_left_as_they_are(bench: Bench) -> None:
    """What is no answer to a parent costs nothing."""
    methods = showing(bench.desk, bench.methods)
    same = {name for name, run in methods.items() if run is bench.methods[name]}
    assert same == set(bench.methods) - SHOWING - {REPORT}


async def test_a_report_is_shown_to_nobody_unless_its_children_are_why_it_is_refused(
    bench: Bench,
) -> None:
    """Its answers are a child's own but for that one."""
    here = Counted(bench)
    lead = await bench.child(await bench.root(), role="lead")
    child = await bench.child(lead)
    final = {"output": "done", "stage": "final"}
    await here.call(REPORT, as_node(lead), output="here")
    for outcome, code in ((None, Code.REPORT_INVALID), ("completed", Code.CHILDREN_LIVE)):
        more = {"outcome": outcome} if outcome else {}
        with pytest.raises(Refused) as raised:
            await here.call(REPORT, as_node(lead), **final, **more)
        assert raised.value.rejection.code is code
    size = len(msgspec.json.encode(error_object(raised.value.rejection)))
    assert (await here.account(lead)).general == size
    assert (await here.account(child)).answers == 0
