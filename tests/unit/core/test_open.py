from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.core.fold_life import FORMER_MOST
from subsessiond.model.commands import OpenRoot
from subsessiond.model.decision import Opened
from subsessiond.model.effects import AppendJournal
from subsessiond.model.events import RootJoined, RootOpened, RootResumed
from subsessiond.model.message import MessageState
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import close, finding, open_root, resume, spawn
from tests.support.playbook import Play, nothing, play, said
from tests.support.world import IDENTITY, at_work, delivered, started


def test_a_root_runs_at_once_with_the_configured_cap() -> None:
    """Nobody starts a root's agent; its cap is printed by the answer."""
    now = (
        play(root_token_cap=7_000)
        >> open_root(workspace="/home/me/project")
        << RootOpened
        << said(AppendJournal, "root", kind="opened", line=1)
        << said(Opened, "root", token_cap=7_000, workspace="/home/me/project", resumed=False)
    )
    root = now.node("root")
    assert (root.status, root.depth, root.title) == (Status.RUNNING, 8, "project")


@pytest.mark.parametrize(("cap", "holds"), [(None, 5_000_000), (9_000, 9_000), (0, 0)])
def test_a_cap_may_be_named(cap: int | None, holds: int) -> None:
    """The named cap holds, zero included; without one the configuration speaks."""
    assert (play() >> open_root(token_cap=cap)).node("root").token_cap == holds


@pytest.mark.parametrize(
    ("workspace", "title", "shown"), [("/", "", "/"), ("/a/b/", "", "b"), ("/a", "Mine", "Mine")]
)
def test_a_root_has_a_title(workspace: str, title: str, shown: str) -> None:
    """The folder's name stands in where no title is given."""
    assert (play() >> open_root(workspace=workspace, title=title)).node("root").title == shown


def test_a_child_cannot_open_a_root() -> None:
    """Whoever lives in a tree has no second one."""
    _ = at_work(play(), "w") >> open_root("mine", by="w") << Code.NOT_ALLOWED << nothing


def test_an_agent_that_is_a_root_opens_no_other() -> None:
    """It is told on which folder it is one, or that it was closed and what helps."""
    now = play() >> open_root(workspace="/here")
    again = now >> open_root("other", by="root", workspace="/there") << Code.NOT_ALLOWED
    assert "the root on /here" in detail_of(again)
    closed = now >> close() >> open_root("other", by="root") << Code.NOT_ALLOWED
    assert "start the agent anew" in detail_of(closed)


def detail_of(now: Play) -> str:
    """Give what a refusal says besides."""
    assert isinstance(now.reply, Rejection)
    return now.reply.detail


def test_a_bridge_comes_back_to_its_root() -> None:
    """Resuming binds the new agent and token and makes no second root."""
    now = (
        play()
        >> open_root(token_hash="old")
        >> resume("root", agent=IDENTITY, token_hash="new")
        << said(RootResumed, "root")
        << said(Opened, "root", resumed=True)
    )
    assert now.node("root").identity == IDENTITY
    assert now.node("root").token_hash == "new"
    assert len(now.tree.nodes) == 1


def test_whoever_was_a_root_before_is_remembered() -> None:
    """An agent whose root another one took, or a script, is still that root and no person."""
    second = replace(IDENTITY, pid=7)
    now = play() >> open_root() >> resume("root", agent=IDENTITY) >> resume("root")
    assert (now.node("root").identity, now.node("root").former) == (None, (IDENTITY,))
    now = now >> resume("root", agent=second) >> resume("root", agent=IDENTITY)
    assert (now.node("root").identity, now.node("root").former) == (IDENTITY, (second,))
    now = now >> resume("root", agent=replace(IDENTITY, boot_id="another"))
    assert now.node("root").former == ()


def test_not_more_former_agents_are_remembered_than_a_record_can_hold() -> None:
    """The newest of them are kept."""
    now = play() >> open_root()
    for pid in range(1, FORMER_MOST + 5):
        now = now >> resume("root", agent=replace(IDENTITY, pid=pid))
    kept = [one.pid for one in now.node("root").former]
    assert kept == list(range(FORMER_MOST + 3, 3, -1))


def test_a_resume_without_token_keeps_the_old_one() -> None:
    """A script that comes back does not take the bridge's token away."""
    now = play() >> open_root(token_hash="old") >> resume("root")
    assert now.node("root").token_hash == "old"


def test_only_a_live_root_is_resumed() -> None:
    """Nobody's id and a child's look the same; a closed root says that it was closed."""
    now = at_work(play(), "w")
    _ = now >> resume("nobody") << Code.NOT_FOUND
    _ = now >> resume("w") << Code.NOT_FOUND
    _ = play() >> open_root() >> close() >> resume("root") << Code.NODE_NOT_LIVE


def test_opening_names_no_parent() -> None:
    """The command has no way to say where a root would hang."""
    assert "parent" not in OpenRoot.__struct_fields__


def test_who_comes_back_is_shown_again_what_it_did_not_acknowledge() -> None:
    """It may have gone before it had read it."""
    now = at_work(play(), "w") >> finding("w") >> delivered("root") >> resume("root")
    assert [(m.state, m.again) for m in now.mail("root")] == [(MessageState.STAGED, True)]


AGENT = replace(IDENTITY, container="agent")
OTHER = replace(AGENT, pid=7)
BRIDGE = replace(IDENTITY, container="bridge", pid=8)


def test_bridges_of_one_agent_are_one_root_though_all_came_as_nobody() -> None:
    """Whoever is decided second finds the root that the first one opened."""
    now = (
        play()
        >> open_root(agent=AGENT, bridge=BRIDGE)
        << said(RootOpened, "root")
        << said(RootJoined, "root", bridge=BRIDGE)
        >> open_root("other", agent=AGENT, bridge=replace(BRIDGE, pid=9))
        << said(RootJoined, "root", bridge=replace(BRIDGE, pid=9))
        << said(Opened, "root", resumed=True)
    )
    assert len(now.tree.nodes) == 1
    elsewhere = now >> open_root("third", agent=AGENT, workspace="/there") << Code.NOT_ALLOWED
    assert "the root on /project" in detail_of(elsewhere)


def test_a_bridge_that_is_its_own_agent_is_known_already() -> None:
    """It is the root's identity."""
    now = play() >> open_root(agent=AGENT, bridge=replace(BRIDGE, pid=AGENT.pid)) << RootOpened
    assert now.node("root").identity == AGENT


def test_a_root_that_was_left_behind_is_come_back_to() -> None:
    """By whoever asks for it on the same folder, with the mail that was not acknowledged."""
    before = play() >> open_root(agent=AGENT) >> spawn("w") >> started("w")
    now = (
        before
        >> finding("w")
        >> delivered("root")
        >> open_root("other", agent=OTHER, bridge=BRIDGE, resume_detached=True, gone=(AGENT,))
        << said(RootResumed, "root", agent=OTHER)
        << said(RootJoined, "root", bridge=BRIDGE)
        << said(Opened, "root", resumed=True)
    )
    assert (now.node("root").identity, now.node("root").former) == (OTHER, (AGENT,))
    assert [(m.state, m.again) for m in now.mail("root")] == [(MessageState.STAGED, True)]


def test_of_two_that_saw_one_root_left_behind_the_second_opens_another() -> None:
    """What it saw is true no more: the first one is there."""
    now = (
        play()
        >> open_root(agent=AGENT)
        >> open_root("a", agent=OTHER, resume_detached=True, gone=(AGENT,))
        << said(Opened, "root", resumed=True)
        >> open_root("b", agent=BRIDGE, resume_detached=True, gone=(AGENT,))
        << said(Opened, "b", resumed=False)
    )
    assert len(now.tree.nodes) == 2


@pytest.mark.parametrize(
    "asked",
    [
        {"gone": ()},
        {"gone": (OTHER,)},
        {"gone": (AGENT,), "workspace": "/there"},
        {"gone": (AGENT,), "resume_detached": False},
        {"gone": (AGENT,), "agent": None},
    ],
    ids=["there", "another", "elsewhere", "unasked", "no-bridge"],
)
def test_no_other_root_is_come_back_to(asked: dict[str, Any]) -> None:
    """One whose agent is there, of another folder, or for who did not ask or is no bridge."""
    given: dict[str, Any] = {"agent": BRIDGE, "resume_detached": True, **asked}
    opened = play() >> open_root(agent=AGENT)
    _ = opened >> open_root("new", **given) << said(Opened, "new", resumed=False)


def test_scripts_roots_are_nobody_elses() -> None:
    """No bridge opened them: nobody tells whether whoever did has gone."""
    given: dict[str, Any] = {"agent": AGENT, "resume_detached": True}
    _ = play() >> open_root() >> open_root("new", **given) << said(Opened, "new", resumed=False)


def test_of_several_that_were_left_behind_the_newest_is_come_back_to() -> None:
    """And one that is being closed is not."""
    two = play() >> open_root("a", agent=AGENT) >> open_root("b", agent=OTHER)
    asked: dict[str, Any] = {"agent": BRIDGE, "resume_detached": True, "gone": (AGENT, OTHER)}
    _ = two >> open_root("new", **asked) << said(Opened, "b", resumed=True)
    _ = two >> close("b") >> open_root("new", **asked) << said(Opened, "a", resumed=True)
