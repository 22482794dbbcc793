"""`core.unread`."""

from subsessiond.core.unread import is_left, left_unread
from tests.support.moves import cancel, close, dismiss, final, finding, progress, spawn, succeed
from tests.support.playbook import Play, play
from tests.support.world import at_work, delivered, ended, gone, not_started, started


def at_lead(*children: str) -> Play:
    """Begin with a lead and children of it."""
    now = at_work(play(), "lead", role="lead")
    for label in children:
        now = now >> spawn(label, under="lead") >> started(label)
    return now


def left(now: Play, label: str = "lead") -> int:
    """Count what a node left unread."""
    return left_unread(now.tree, now.node(label))


def test_what_children_said_and_nobody_read_is_counted() -> None:
    """Findings and ends count, once their parent has settled; signs of life do not."""
    now = at_lead("w", "v") >> finding("w") >> final("w") >> progress("v")
    assert left(now) == 0
    now = now >> ended("lead")
    assert left(now) == 2
    assert is_left(now.tree, now.node("lead"))


def test_the_runtimes_word_of_an_own_end_counts_and_that_of_an_orphan_does_not() -> None:
    """What became of a command is worth reading; who ended with its parent said nothing."""
    now = at_lead("w", "v") >> ended("w")
    assert left(now >> ended("lead")) == 1
    assert left(at_lead("w") >> ended("lead")) == 0
    assert left(at_lead("w") >> cancel("w", by="lead") >> ended("lead")) == 0


def test_what_was_shown_counts_only_where_the_reader_did_not_choose_its_end() -> None:
    """Of a turn that died nobody knows; who reports after its mail came has seen it."""
    now = at_lead("w") >> final("w") >> delivered("lead")
    assert left(now >> ended("lead")) == 1
    assert left(now >> final("lead")) == 0
    assert left(at_lead("w") >> final("w") >> final("lead")) == 1


def test_an_heir_reads_it_and_without_one_a_person_may_put_it_aside() -> None:
    """It counts again when the heir never ran."""
    now = at_lead("w") >> final("w") >> ended("lead") >> gone("lead") >> gone("w")
    heir = now >> succeed("heir", "lead")
    assert left(heir) == 0
    assert left(heir >> not_started("heir")) == 1
    aside = now >> dismiss("lead")
    assert left(aside) == 1
    assert not is_left(aside.tree, aside.node("lead"))


def test_in_a_closed_tree_nothing_counts() -> None:
    """Who closes a root has done with all of it; a root's own mail is its agent's."""
    now = at_lead("w") >> final("w") >> gone("w") >> final("lead") >> gone("lead")
    assert left(now) == 1
    assert left(now, "root") == 0
    assert left(now >> close()) == 0
