"""What every store promises; run on SQLite and on the store in memory."""

import pytest
from msgspec.structs import replace

from subsessiond.model.events import AnyEvent, CancelRequested, MailForwarded
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.message import MessageState
from subsessiond.model.node import Status
from subsessiond.model.projectrole import AcceptedRole
from subsessiond.model.report import Stage
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch
from tests.contract.store.conftest import Opener
from tests.support.ledger import (
    Ledger,
    admitted,
    builtins,
    child,
    line,
    opened,
    released,
    root,
    same,
    settled,
    started,
)

MOTHER = root(1)
CHILD = child(2, MOTHER, key="k1")
OTHER = child(3, MOTHER)


async def grown(opener: Opener) -> Ledger:
    """Open a store that holds a root and two running children."""
    ledger = await opener.open()
    await ledger.commit(opened(MOTHER))
    await ledger.commit(admitted(CHILD, fingerprint="p" * 64), admitted(OTHER))
    await ledger.commit(started(CHILD.node_id), started(OTHER.node_id))
    return ledger


async def test_a_new_store_is_an_empty_tree(opener: Opener) -> None:
    """A store never used before gives the empty tree."""
    assert (await opener.open()).tree == Tree()


async def test_what_was_committed_is_loaded(opener: Opener) -> None:
    """Nodes, indexes, counts, mail and keys come back as they were committed."""
    ledger = await grown(opener)
    await ledger.commit(*ledger.report(CHILD.node_id))
    await ledger.commit(ledger.checkpoint(OTHER.node_id))
    again = await opener.open()
    assert same(again.tree, ledger.tree)
    assert again.tree.keys and again.tree.mail and again.tree.claims  # noqa: PT018


async def test_mail_keeps_its_order_and_state(opener: Opener) -> None:
    """Messages come back oldest first with the state they had, read ones not at all."""
    ledger = await grown(opener)
    for n in range(6):
        await ledger.commit(*ledger.report(CHILD.node_id, f"finding {n}"))
    box = ledger.tree.mail[MOTHER.node_id]
    first, second = box[0].message_id, box[1].message_id
    await ledger.commit(ledger.moved(MOTHER.node_id, MessageState.DELIVERED, second))
    await ledger.commit(ledger.moved(MOTHER.node_id, MessageState.ACKNOWLEDGED, first))
    await ledger.commit(*ledger.report(OTHER.node_id, "last"))
    again = await opener.open()
    assert [m.text for m in again.tree.mail[MOTHER.node_id]] == [
        *(f"finding {n}" for n in range(1, 6)),
        "last",
    ]
    assert again.tree.mail[MOTHER.node_id][0].state is MessageState.DELIVERED
    assert same(again.tree, ledger.tree)


async def test_forwarded_mail_lies_with_the_successor(opener: Opener) -> None:
    """Unread mail of a settled node comes back in its successor's box, behind what lay there."""
    ledger = await grown(opener)
    grandchild = child(5, CHILD)
    await ledger.commit(admitted(grandchild))
    await ledger.commit(*ledger.report(grandchild.node_id, "one"))
    await ledger.commit(settled(CHILD.node_id), settled(grandchild.node_id))
    heir = child(6, MOTHER, predecessor=CHILD.node_id)
    await ledger.commit(admitted(heir), MailForwarded(node=CHILD.node_id, at_ms=1, to=heir.node_id))
    again = await opener.open()
    assert [m.text for m in again.tree.mail[heir.node_id]] == ["one"]
    assert CHILD.node_id not in again.tree.mail
    assert again.tree.nodes[CHILD.node_id].successor == heir.node_id
    assert same(again.tree, ledger.tree)


async def test_superseded_progress_is_uncounted_at_its_sender(opener: Opener) -> None:
    """An event about one node's mailbox brings along the sender whose count it changes."""
    ledger = await grown(opener)
    await ledger.commit(*ledger.report(CHILD.node_id, stage=Stage.PROGRESS))
    await ledger.commit(ledger.moved(MOTHER.node_id, MessageState.SUPERSEDED))
    again = await opener.open()
    assert again.tree.nodes[CHILD.node_id].progress == 0
    assert same(again.tree, ledger.tree)


async def test_a_grant_raises_every_ancestor(opener: Opener) -> None:
    """Caps that an admission raised far above it come back raised."""
    ledger = await grown(opener)
    deep = child(5, CHILD)
    await ledger.commit(admitted(deep))
    granted = child(6, deep, grant=replace(deep.grant, tokens=77))
    await ledger.commit(admitted(granted))
    again = await opener.open()
    assert again.tree.nodes[MOTHER.node_id].token_cap == MOTHER.token_cap + 77
    assert same(again.tree, ledger.tree)


async def test_a_start_that_failed_frees_its_key(opener: Opener) -> None:
    """A freed key stays free."""
    ledger = await grown(opener)
    never = child(5, MOTHER, key="k2")
    await ledger.commit(admitted(never, fingerprint="q" * 64))
    assert len(ledger.tree.keys) == 2
    await ledger.commit(settled(never.node_id, reason="start-failed"))
    again = await opener.open()
    assert [at for at, _ in again.tree.keys.items()] == [(MOTHER.node_id, "k1")]
    assert same(again.tree, ledger.tree)


async def test_a_closed_tree_is_read_node_by_node(opener: Opener) -> None:
    """Nodes of a root with nothing left are not loaded, and can still be read one by one."""
    ledger = await grown(opener)
    second = root(10)
    await ledger.commit(opened(second))
    family = (CHILD.node_id, OTHER.node_id, MOTHER.node_id)
    await ledger.commit(*ledger.report(CHILD.node_id))
    await ledger.commit(*(settled(name) for name in family))
    await ledger.commit(*(released(name) for name in family))
    again = await opener.open()
    assert set(again.tree.nodes) == {second.node_id}
    assert len(again.tree.mail) == len(again.tree.keys) == 0
    assert again.tree.seq == ledger.tree.seq
    read = await again.store.node(CHILD.node_id)
    assert read == ledger.tree.nodes[CHILD.node_id]
    assert read is not None and read.brief == CHILD.brief  # noqa: PT018
    assert await again.store.node(NodeId("0" * 26)) is None


async def test_a_node_that_left_the_tree_stays_readable(opener: Opener) -> None:
    """A commit without a closed tree's nodes and keys does not remove them."""
    ledger = await grown(opener)
    family = (CHILD.node_id, OTHER.node_id, MOTHER.node_id)
    await ledger.commit(*(settled(name) for name in family))
    await ledger.commit(*(released(name) for name in family))
    gone = ledger.tree
    ledger.tree = Tree(seq=gone.seq)
    await ledger.commit(opened(root(10)))
    again = await opener.open()
    assert await again.store.node(CHILD.node_id) == gone.nodes[CHILD.node_id]
    assert again.tree.seq == gone.seq + 1


async def test_the_last_state_of_a_message_is_known_for_ever(opener: Opener) -> None:
    """How a message left its mailbox is told in a later life too, of the mailboxes asked about."""
    ledger = await grown(opener)
    for _ in range(3):
        await ledger.commit(*ledger.report(CHILD.node_id))
    first, second, third = (m.message_id for m in ledger.tree.mail[MOTHER.node_id])
    await ledger.commit(ledger.moved(MOTHER.node_id, MessageState.DELIVERED, first, second))
    await ledger.commit(ledger.moved(MOTHER.node_id, MessageState.ACKNOWLEDGED, second))
    store = (await opener.open()).store
    asked = (OTHER.node_id, MOTHER.node_id)
    assert [await store.moved(asked, message) for message in (first, second, third)] == [
        MessageState.DELIVERED,
        MessageState.ACKNOWLEDGED,
        None,
    ]
    assert await store.moved((OTHER.node_id,), second) is None
    assert await store.moved((), second) is None


async def test_events_are_read_from_a_cursor(opener: Opener) -> None:
    """Events after a number come oldest first, at most as many as asked for, exactly as made."""
    ledger = await grown(opener)
    events, _ = ledger.fold(*ledger.report(CHILD.node_id))
    await ledger.commit(*ledger.report(CHILD.node_id))
    assert await ledger.store.events_after(5, 10) == events
    some = await ledger.store.events_after(1, 2)
    assert [event.seq for event in some] == [2, 3]
    assert await ledger.store.events_after(ledger.tree.seq, 10) == ()


@pytest.mark.parametrize("numbers", [(4,), (2,), (3, 5)])
async def test_events_out_of_order_are_refused(opener: Opener, numbers: tuple[int, ...]) -> None:
    """A batch that does not follow the last commit is a bug, and nothing of it is true."""
    ledger = await opener.open()
    await ledger.commit(opened(MOTHER), admitted(CHILD))
    events: tuple[AnyEvent, ...] = tuple(
        CancelRequested(node=CHILD.node_id, at_ms=1, seq=n) for n in numbers
    )
    with pytest.raises(ValueError, match="gap"):
        await ledger.store.commit(Batch(events=events, tree=ledger.tree))
    await ledger.commit(started(CHILD.node_id))
    again = await opener.open()
    assert again.tree.nodes[CHILD.node_id].status is Status.RUNNING


async def test_journal_lines_wait_until_they_are_synced(opener: Opener) -> None:
    """Lines are kept from their commit on, through a restart, until they are safe in their file."""
    ledger = await opener.open()
    lines = (line(MOTHER, 1, "opened", builtins(MOTHER)), line(MOTHER, 2))
    await ledger.commit(opened(MOTHER), lines=lines)
    assert (await (await opener.open()).store.unsynced_lines()) == lines
    again = await opener.open()
    await again.store.lines_synced(((MOTHER.node_id, 1),))
    assert await again.store.unsynced_lines() == lines[1:]


async def test_the_last_three_lines_are_kept(opener: Opener) -> None:
    """Of each node the last three lines are kept though they are synced, and all that are not."""
    ledger = await opener.open()
    lines = tuple(line(MOTHER, n) for n in range(1, 9))
    await ledger.commit(opened(MOTHER), lines=lines)
    await ledger.store.lines_synced(tuple((MOTHER.node_id, n) for n in (1, 2, 4, 5, 6, 7, 8)))
    assert [kept.n for kept in await ledger.store.kept_lines(MOTHER.node_id)] == [3, 6, 7, 8]
    assert await ledger.store.unsynced_lines() == (lines[2],)
    await ledger.store.lines_synced(())


async def test_closing_twice_is_closing_once(opener: Opener) -> None:
    """A closed store can be closed again, and has room to tell of while it is open."""
    ledger = await opener.open()
    assert ledger.store.room()
    await ledger.store.backup()
    await ledger.store.aclose()
    await ledger.store.aclose()


async def test_what_was_accepted_is_kept(opener: Opener) -> None:
    """Of one workspace and not of others; all bytes of one name, each once, over a new start."""
    store = (await grown(opener)).store
    first, again, other = (
        AcceptedRole(workspace=folder, name="project/rev", digest=digest)
        for folder, digest in (("/w", "b"), ("/w", "a"), ("/x", "b"))
    )
    for role in (first, first, again, other):
        await store.roles.accept(role, 7)
    store = (await opener.open()).store
    assert await store.roles.of("/w") == (again, first)
    assert await store.roles.of("/x") == (other,)
    assert await store.roles.of("/") == ()


async def test_counts_are_kept_and_replaced(opener: Opener) -> None:
    """The newest counts of a node are there, of those that have any; they move no events."""
    ledger = await grown(opener)
    store = ledger.store
    first = Account(node_id=CHILD.node_id, printed=10, mail=3)
    newer = replace(first, printed=20)
    await store.keep_accounts((first, Account(node_id=OTHER.node_id, general=1)))
    await store.keep_accounts((newer,))
    await ledger.commit(*ledger.report(CHILD.node_id))
    again = await opener.open()
    assert await again.store.accounts((CHILD.node_id, MOTHER.node_id)) == (newer,)
    assert again.tree.seq == ledger.tree.seq


async def test_a_life_that_kept_its_last_counts_is_not_remembered(opener: Opener) -> None:
    """One that did not is told to every one after it."""
    store = (await opener.open()).store
    assert await store.begin_counting(10) == ()
    await store.keep_accounts((), last=True)
    store = (await opener.open()).store
    assert await store.begin_counting(20) == ()
    store = (await opener.open()).store
    killed = (Life(began_ms=20, found_ms=30),)
    assert await store.begin_counting(30) == killed
    await store.keep_accounts((), last=True)
    store = (await opener.open()).store
    assert await store.begin_counting(40) == killed


async def test_a_tree_is_read_whole(opener: Opener) -> None:
    """A root and all below it, parents first, open or closed; of no root nothing."""
    ledger = await grown(opener)
    deep = child(5, CHILD)
    await ledger.commit(opened(root(10)), admitted(deep))
    family = (MOTHER.node_id, CHILD.node_id, OTHER.node_id, deep.node_id)
    for names in (family, family[::-1]):
        found = await ledger.store.tree_of(MOTHER.node_id)
        assert {node.node_id for node in found} == set(names)
        assert found[0].node_id == MOTHER.node_id
        assert found[-1].node_id == deep.node_id
        assert found[-1].brief == deep.brief
        if names is family:
            await ledger.commit(*(settled(name) for name in reversed(names)))
            await ledger.commit(*(released(name) for name in reversed(names)))
            ledger = await opener.open()
    assert await ledger.store.tree_of(deep.node_id) == ()
