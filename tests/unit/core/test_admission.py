from msgspec.structs import replace

from subsessiond.core.admission import record_of
from subsessiond.model.decision import Admitted
from subsessiond.model.node import Phase, Status
from subsessiond.model.role import AgentProfile
from tests.support.moves import OPERATOR, final, open_root, spawn, succeed
from tests.support.playbook import later, play
from tests.support.policies import ACTOR, WORKER, a_policy
from tests.support.rolefiles import accepted
from tests.support.world import at_work, gone


def test_a_record_is_derived_and_not_claimed() -> None:
    """Place, depth, agent and role come from tree and policy, whatever the brief says."""
    now = play() >> open_root(workspace="/here") >> later(5)
    now = now >> spawn("w", owns="a", key="k", title="Short", verify=("files",))
    node = now.node("w")
    assert (node.parent, node.root, node.workspace) == (now.id("root"), now.id("root"), "/here")
    assert (node.role, node.agent, node.runner) == (WORKER, ACTOR.name, ACTOR.runner)
    assert (node.status, node.phase, node.title) == (Status.CLAIMED, Phase.STARTING, "Short")
    assert (node.claimed_at_ms, node.claimed_awake_ms) == (now.at_ms - 1, now.awake_ms - 1)
    assert (node.sign_awake_ms, node.last_sign_ms) == (now.awake_ms - 1, None)
    assert (node.owns, node.key, node.generation, node.letter) == (("a",), "k", 1, "")


def test_a_title_is_made_of_the_mission() -> None:
    """Where none is given."""
    now = play() >> open_root() >> spawn("w", mission="Fix it.\nAll of it.")
    assert now.node("w").title == "Fix it."


def test_a_command_line_is_part_of_the_record() -> None:
    """It is what a restart would show."""
    now = play() >> open_root() >> spawn("c", role="check", argv=("make", "x"), by=OPERATOR)
    assert now.node("c").argv == ("make", "x")


def test_an_answer_that_only_asks_says_so() -> None:
    """Its id was never given to anybody."""
    now = play() >> open_root() >> spawn("w", check_only=True)
    assert isinstance(now.reply, Admitted)
    assert now.reply.would_admit
    assert now.reply.node_id not in now.tree.nodes


def test_a_successor_counts_its_generation() -> None:
    """And its predecessor points to it."""
    now = at_work(play(), "w") >> final("w") >> gone("w") >> succeed("heir", "w")
    assert (now.node("heir").generation, now.node("w").successor) == (2, now.id("heir"))
    assert record_of.__doc__


def test_a_check_that_nobody_runs_is_not_promised() -> None:
    """A brief that asks for verification is told that the record will stay unchecked."""
    now = play() >> open_root() >> spawn("w", verify=("files",))
    assert isinstance(now.reply, Admitted)
    assert now.reply.warnings == (
        "verify is recorded; this version runs no checks, and the record stays unchecked",
    )


def test_who_owns_files_it_cannot_write_is_told() -> None:
    """Nobody else gets them, and nothing will come of it; a grant of a class mends it."""
    now = play() >> open_root()
    replies = [(now >> spawn("x", role=role, owns="a/*")).reply for role in ("reader", "worker")]
    assert [reply.warnings for reply in replies if isinstance(reply, Admitted)] == [
        ("role reader writes nothing: what it owns is only kept from others",),
        (),
    ]


def test_what_an_agent_of_one_run_cannot_do_is_said() -> None:
    """Nothing holds its writes, and no mail wakes it: who hires it knows."""
    agent = AgentProfile(name="actor", runner="jsonl")
    now = play(a_policy(agents=(agent,))) >> open_root()
    writer = (now >> spawn("w", owns="a/*")).reply
    lead = (now >> spawn("l", role="lead")).reply
    reader = (now >> spawn("r")).reply
    found = [r.warnings for r in (writer, lead, reader) if isinstance(r, Admitted)]
    assert found == [
        ("agent actor writes by itself: nothing keeps it to its files",),
        ("agent actor is one run: it has to wait for its children itself",),
        (),
    ]


def test_what_an_agent_of_many_runs_can_do_is_not_denied() -> None:
    """It waits for its children, and its sandbox keeps it to folders: so much is said."""
    agent = AgentProfile(
        name="actor", runner="jsonl", command=("x", "{folders?@}"), resume=("--on",)
    )
    now = play(a_policy(agents=(agent,))) >> open_root()
    writer = (now >> spawn("w", owns="a/*")).reply
    lead = (now >> spawn("l", role="lead")).reply
    found = [r.warnings for r in (writer, lead) if isinstance(r, Admitted)]
    kept = "its sandbox keeps it to the folders of its files, not to the files alone"
    assert found == [(f"agent actor writes by itself: {kept}",), ()]


def test_what_a_role_says_to_all_stands_in_the_brief() -> None:
    """Once: a node is written with each of its changes, and its brief is not."""
    role = accepted(replace(WORKER, preface="Be kind."))
    node = (play() >> open_root() >> spawn("w", project=role)).node("w")
    assert node.brief is not None
    assert node.brief.preface == "Be kind."
    assert node.role == replace(role.role or WORKER, preface="")
