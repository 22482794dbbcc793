"""The queue from its first row to its last, by the command at a terminal: what each side saw."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsession.cli import exits
from subsessiond.adapters.passphrase import Passphrase
from tests.support.daemon import Daemon
from tests.support.hire import hire, wait_file, wait_for
from tests.support.tables import tables
from tests.support.terminal import Terminal

PART = """
letter=$(cat)
printf '%s\\n' "$letter" >"letter-$SUBSESSION_NODE"
case $letter in
*continues:*) subsession report "went on" --stage final --outcome completed ;;
*) subsession checkpoint --phase reading --next-step "write $1" "half of it read"
   subsession report "I stand before $1." --stage final --outcome blocked --blocker "$2" ;;
esac
"""
"""A child: it writes down what it was told, is blocked, and goes on once it continues another."""

SECRET = "correct horse"
ASKED = "operator's passphrase: "


class Person:
    """Who sits at the terminal, with a daemon in which a passphrase is set."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.root = daemon.open(title="work")
        plain = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.env = {**plain, "PATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1"}
        self.env["SUBSESSION_SOCKET"] = str(daemon.socket)
        (daemon.workspace / "part.sh").write_text(PART)

    def child(self, title: str, blocker: str) -> str:
        """Let a child end in the queue."""
        brief = {"mission": f"write {title}", "title": title, "ownedGlobs": [f"{title}/**"]}
        words = ("sh", "./part.sh", title, blocker)
        node = hire(self.daemon, self.root, *words, role="hand", brief=brief)
        assert wait_for(self.daemon, node, "released")["outcome"] == "blocked"
        return node

    def types(self, *words: str, secret: str = "", status: int = exits.OK) -> str:
        """Type a command, and the passphrase where it is asked for; gives what was shown."""
        order = (sys.executable, "-m", "subsession", *words)
        cwd = self.daemon.workspace
        with Terminal(*order, env=self.env, cwd=cwd, columns=80) as terminal:
            if secret:
                terminal.wait_for(ASKED)
                terminal.press(secret + "\n")
            ended = terminal.end()
        assert ended == status, (ended, terminal.seen)
        assert SECRET not in terminal.seen
        return re.sub(r"(waits|in) \d+s\b", r"\1 N", terminal.seen)

    def told(self, node: str) -> str:
        """Give what a child was told when it began."""
        return wait_file(self.daemon.workspace / f"letter-{node}")


@pytest.fixture
def person() -> Iterator[Person]:
    """Give a person at a daemon with a passphrase."""
    line = Passphrase.make(SECRET, b"sixteen bytes ok").line
    more = f"[processes]\nterm_grace_ms = 500\n[operator]\npassphrase = '{line}'\n"
    with Daemon(config=tables(more=more)) as daemon:
        yield Person(daemon)


def heir(shown: str) -> str:
    """Find the id of the successor in what a handover has shown."""
    (found,) = re.findall(r"spawned ([0-9a-z]{26})", shown)
    return str(found)


QUEUE = """\
docs {0}: approval, waits N
  blocked by: approval-required: fs write notes/a.md
colour {1}: question, waits N
  blocked by: question: red or blue?
pdf {2}: missing, waits N
  blocked by: missing: pdflatex on PATH

next, for {0} as for the others:
  subsession handover {0}                  read its letter
  subsession handover {0} --as-is          go on unchanged
  subsession handover {0} --answer TEXT    answer its question
  subsession handover {0} --grant-glob G   give it files (also --grant-tool,
                                               --grant-tokens)
  subsession dismiss {0}                   leave it
"""
LONG = "notes on everything that was found in the sources and their tests"


@pytest.mark.scenario("S05")
def test_from_blocked_to_finished_as_each_side_saw_it(person: Person) -> None:
    """A grant, an answer and the same again: rows, letters, what successors and parent read."""
    docs = person.child("docs", "approval-required: fs write notes/a.md")
    colour = person.child("colour", "question: red or blue?")
    pdf = person.child("pdf", "missing: pdflatex on PATH")
    assert person.types("blocked") == QUEUE.format(docs[-6:], colour[-6:], pdf[-6:])
    letter = (
        f'continues: "{docs}"\n'
        f"checkpoint: workspaceFile:.subsession/journals/{docs}.journal.jsonl#2\n"
        "predecessor phase: reading\n"
        "predecessor handover: I stand before docs.\n"
        "predecessor blockers: approval-required: fs write notes/a.md\n"
    )
    read = person.types("handover", "docs")
    assert read == "mission\n  write docs\nletter\n" + re.sub("(?m)^", "  ", letter).rstrip(" ")
    ways = {
        docs: (("--grant-glob", "notes/**"), "grants: files notes/**\n"),
        colour: (("--answer", "blue"), "operator answer: blue\n"),
        pdf: (("--as-is",), "predecessor blockers: missing: pdflatex on PATH\n"),
    }
    heirs = {}
    for node, (words, line) in ways.items():
        shown = person.types("handover", node[-6:], *words, "--wait", secret=SECRET)
        new = heirs[node] = heir(shown)
        title = person.daemon.rows()[node]["title"]
        assert shown == (
            f"{ASKED}\nspawned {new} (claimed)\n"
            f"{title} {new[-6:]}: completed in N (final-report, said by the child)\n  went on\n"
        )
        assert person.told(new).endswith(line)
    assert person.told(heirs[docs]).endswith(f"\n\n{letter}grants: files notes/**\n")
    assert "\nFiles you own: docs/**, notes/**\n" in person.told(heirs[docs])
    assert person.types("blocked") == "nothing waits for you\n"
    mail = json.loads(person.types("inbox", "--json"))["messages"]
    told = [(one["source"], one["text"]) for one in mail if heirs[docs] in one["text"]]
    hired = f"The operator started {heirs[docs]} as the successor of your background subagent"
    ended = f'Background subagent {heirs[docs]} reported:\nwent on\n{{"outcome":"completed"}}'
    assert told == [("notice", f"{hired} {docs}."), ("subagent-report", ended)]


def test_a_wrong_passphrase_changes_nothing_and_dismissing_needs_none(person: Person) -> None:
    """Three wrong ones end as refused, with what to do; a row can be left without any."""
    node = person.child(LONG, "budget: 10,000 more tokens")
    order = (sys.executable, "-m", "subsession", "handover", node, "--grant-tokens", "10k")
    with Terminal(*order, env=person.env) as terminal:
        for times in (1, 2, 3):
            terminal.wait_for(ASKED, times)
            terminal.press("a guess\n")
        assert terminal.end() == exits.REFUSED
    again = f"{ASKED}\nsubsession: that is not it\n"
    assert terminal.seen.startswith(again + again + ASKED)
    assert "Type it at a terminal, or give it with --passphrase-stdin." in terminal.seen
    rows = person.types("blocked").split("\n")
    assert rows[0] == f"{LONG[:53]}… {node[-6:]}: budget, waits N"
    assert person.types("dismiss", node) == f"dismissed {node}\n"
    assert person.types("blocked") == "nothing waits for you\n"


def test_what_is_still_there_is_released_on_the_persons_word(person: Person) -> None:
    """A cancelled agent that somebody else runs holds its files until she says so."""
    brief = {"mission": "look", "title": "mine", "ownedGlobs": ["docs/**"]}
    call = person.daemon.call
    node = call("subsession.spawn", parentId=person.root, role="joined", brief=brief)["nodeId"]
    row = person.types("blocked")
    assert row == (
        f"mine {node[-6:]}: attach, waits N\n"
        f"  waits for its agent: subsession attach {node[-6:]} -- CMD\n"
    )
    order = (
        sys.executable,
        "-m",
        "subsession",
        "attach",
        node,
        "--",
        "sh",
        "-c",
        "echo up; exec cat",
    )
    with Terminal(*order, env=person.env, cwd=person.daemon.workspace) as agent:
        agent.wait_for("up")
        wait_for(person.daemon, node, "running")
        person.types("cancel", node)
        row = person.types("blocked")
        assert re.fullmatch(
            f"mine {node[-6:]}: leftovers, waits N\n"
            f"  still there: process {agent.process.pid} .cat. still runs; .*\n"
            f"\nnext, for {node[-6:]} as for others of which something is still there:\n"
            f"  subsession release {node[-6:]}                   free what it owns, though that"
            " goes on\n",
            row,
        )
        shown = person.types("release", node[-6:], secret=SECRET)
        assert shown == f"{ASKED}\nreleased {node}\n"
        assert person.types("blocked") == "nothing waits for you\n"
        assert agent.process.poll() is None
        agent.press("\x04")
        agent.end()
