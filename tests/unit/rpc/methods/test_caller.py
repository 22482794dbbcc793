from msgspec.structs import replace

from subsessiond.model.commands import Caller, CloseRoot
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer
from tests.support.desk import PERSON, Bench, as_node, identity


async def test_a_person_is_told_whether_grants_are_taken(bench: Bench) -> None:
    """And how that was found out."""
    told = await bench.call("daemon.caller")
    assert told == {"kind": "operator", "mayGrant": True, "why": PERSON.why}


async def test_a_root_is_told_its_process(bench: Bench) -> None:
    """By number and name, and whether that runs still."""
    agent = replace(identity(50), name="code")
    by = Caller(why="a bridge")
    bench.peers.append((by, Peer(pid=9, agent=agent)))
    root = (await bench.call("subsession.open", by, workspace=bench.folder))["nodeId"]
    for runs in (False, True):
        told = await bench.call("daemon.caller", as_node(root))
        assert (told["kind"], told["nodeId"], told["isLive"]) == ("root", root, True)
        assert told["territory"] == {"pid": 50, "name": "code", "runs": runs}
        bench.running.append(agent)


async def test_a_child_is_told_so_and_a_closed_root_too(bench: Bench) -> None:
    """One that no store knows any more is a root: only agents of roots outlive their trees."""
    root = await bench.root()
    child = await bench.child(root)
    told = await bench.call("daemon.caller", as_node(child))
    assert (told["kind"], told["isLive"], told["mayGrant"]) == ("child", True, False)
    await bench.finish(child)
    closing = CloseRoot(node=NodeId(root), caller=PERSON, **bench.desk.stamps())
    await bench.registry.submit(closing)
    told = await bench.call("daemon.caller", as_node(root))
    assert (told["kind"], told["isLive"]) == ("root", False)
    told = await bench.call("daemon.caller", as_node("0" * 26))
    assert (told["kind"], told["isLive"]) == ("root", False)
