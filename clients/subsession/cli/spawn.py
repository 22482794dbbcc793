"""`open`, `spawn`, `run` and `succeed`: new nodes."""

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

from subsession.cli import exits
from subsession.cli.arguments import Verbs, amount, seconds
from subsession.cli.session import SHORT, Session, UsageProblem
from subsession.cli.wait import wait_for
from subsession.text import cut, one_line
from subsession.verbs import Json
from subsession.workspace import workspace_here


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    parser = verbs.add("open", open_root, "open a root on a folder, or resume one")
    parser.add_argument("folder", nargs="?", help="default: this repository, else this folder")
    parser.add_argument("--title")
    parser.add_argument("--token-cap", type=amount, metavar="N", help="for its whole tree")
    parser.add_argument("--resume", metavar="NODE", help="go on with this root")

    parser = verbs.add(
        "spawn",
        spawn,
        "spawn a child with a mission",
        "Without --parent the child goes below your newest open root of this repository (or\n"
        "folder), which is opened when there is none.",
    )
    parser.add_argument("mission", nargs="?", help="what to do; - reads standard input")
    parser.add_argument("--brief", metavar="FILE", help="brief as JSON; options add to it")
    parser.add_argument("--role", default="worker", help="default: worker")
    _add_brief(parser)

    parser = verbs.add("run", run, "run a command as a child: its end becomes a bounded report")
    parser.add_argument("--role", default="check", help="default: check")
    parser.add_argument("--mission", help="given to the command on standard input")
    _add_brief(parser)
    parser.usage = "subsession run [options] -- CMD ..."

    parser = verbs.add("succeed", succeed, "hire a fresh child that continues a settled one")
    parser.add_argument("node", metavar="NODE", help="the settled child")
    parser.add_argument("--role")
    parser.add_argument("--mission")
    parser.add_argument("--token-cap", type=amount, metavar="N")
    parser.add_argument("--key", help="the same key gives the same node")
    _add_wait(parser)


def _add_brief(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parent", metavar="NODE")
    parser.add_argument("--title")
    parser.add_argument("--own", action="append", metavar="GLOB", help="files it may write; repeat")
    parser.add_argument("--token-cap", type=amount, metavar="N", help="such as 200k")
    parser.add_argument("--depth", type=int, metavar="N", help="levels that may grow below it")
    parser.add_argument(
        "--verify", action="append", metavar="CHECK", help="kept in the brief; not run yet"
    )
    parser.add_argument("--continues", metavar="NODE", help="predecessor")
    parser.add_argument("--section", action="append", metavar="NAME", help="the report must have")
    parser.add_argument("--report-tokens", type=amount, metavar="N", help="size of its report")
    parser.add_argument("--deadline", type=seconds, metavar="S")
    parser.add_argument("--allow-overlap", action="store_true", help="others may own the same")
    parser.add_argument("--key", help="the same key and brief give the same node")
    parser.add_argument("--check", action="store_true", help="run all checks, start nothing")
    _add_wait(parser)


def _add_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wait", action="store_true", help="until it settles; exit by outcome")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="wait at most")


def open_root(session: Session) -> int:
    """Open a root, or resume one."""
    words = session.words
    folder = Path(words.folder).absolute() if words.folder else workspace_here()
    if not folder.is_dir():
        raise UsageProblem(f"{one_line(str(folder))} is no folder")
    resume = session.node_id(words.resume) if words.resume else None
    opened = session.client.open(
        str(folder), title=words.title, token_cap=words.token_cap, resume=resume
    )
    verb = "resumed" if opened.get("resumed") else "opened"
    session.voice.answer(
        opened,
        f"{verb} root {opened['nodeId']} on {one_line(str(opened.get('workspace', folder)))}, "
        f"for {opened.get('tokenCap', 0):,} tokens",
    )
    _warn_of_home(session, opened)
    return exits.OK


def _warn_of_home(session: Session, opened: Json) -> None:
    """Say that a root was opened on much more than a project, which is mostly a slip."""
    folder, home = str(opened.get("workspace", "")), os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111  # Path's may raise
    if opened.get("resumed") or not f"{home}/".startswith(folder.rstrip("/") + "/"):
        return
    what = "is" if folder == home else "holds"
    session.voice.note(
        f"{one_line(folder)} {what} your home folder: children there may be lent all of it,\n"
        "and share their claims with every root in it; "
        f"`subsession close {opened['nodeId'][-SHORT:]}` takes it back"
    )


def newest_root(session: Session) -> str | None:
    """Give the newest open root of this workspace."""
    folder = os.path.realpath(workspace_here())
    roots = [
        str(row["nodeId"])
        for row in session.rows()
        if not row.get("parentId") and row.get("state") == "running" and not row.get("stopping")
    ]
    # Rows do not name folders; roots are few, and the newest is most often the one.
    for node_id in sorted(roots, reverse=True):
        if session.client.node(node_id).get("workspace") == folder:
            return node_id
    return None


def root_of_folder(session: Session) -> str:
    """Give the newest open root of this workspace.

    Raises:
        UsageProblem: there is none.
    """
    found = newest_root(session)
    if found is None:
        folder = one_line(str(workspace_here()))
        raise UsageProblem(
            f"no root is open on {folder}; open one, or name one that `subsession tree` shows"
        )
    return found


def root_here(session: Session) -> str:
    """Give the newest open root of this workspace; open one when there is none."""
    if found := newest_root(session):
        return found
    opened = session.client.open(os.path.realpath(workspace_here()))
    node_id = str(opened["nodeId"])
    session.voice.note(
        f"opened root {node_id[-SHORT:]} on {opened.get('workspace')}, "
        f"for {opened.get('tokenCap', 0):,} tokens; `subsession close` ends it"
    )
    _warn_of_home(session, opened)
    return node_id


def spawn(session: Session) -> int:
    """Spawn a child with a mission."""
    words = session.words
    brief = _read_brief(words.brief) if words.brief else {}
    if words.mission is not None:
        brief["mission"] = sys.stdin.read() if words.mission == "-" else words.mission
    if "mission" not in brief:
        raise UsageProblem('say what the child shall do: subsession spawn "review src/"')
    return _spawn(session, brief, None)


def run(session: Session) -> int:
    """Run a command as a child."""
    words = session.words
    argv: list[str] = words.command
    if not argv:
        raise UsageProblem("say what to run: subsession run -- pytest -q")
    brief = {"mission": words.mission or f"Run: {shlex.join(argv)}"}
    if not words.title:
        brief["title"] = cut(shlex.join(argv), 60)
    return _spawn(session, brief, argv)


def _read_brief(name: str) -> Json:
    """Read a brief from a file, or from standard input for `-`."""
    try:
        brief = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise UsageProblem(f"cannot read the brief {cut(name, 60)!r}: {fault}") from fault
    if not isinstance(brief, dict):
        raise UsageProblem(f"the brief {cut(name, 60)!r} is no JSON object")
    return brief


def _with_options(session: Session, brief: Json) -> Json:
    """Add what the options say to a brief."""
    words = session.words
    given = {
        "title": words.title,
        "ownedGlobs": words.own,
        "tokenCap": words.token_cap,
        "depthAllowance": words.depth,
        "verify": words.verify,
        "continues": session.node_id(words.continues) if words.continues else None,
        "deadlineMs": None if words.deadline is None else int(words.deadline * 1_000),
    }
    contract = {"requiredSections": words.section, "maxReportTokens": words.report_tokens}
    contract = {key: value for key, value in contract.items() if value is not None}
    if contract:
        given["reportContract"] = {**brief.get("reportContract", {}), **contract}
    return {**brief, **{key: value for key, value in given.items() if value is not None}}


def parent_here(session: Session) -> str | None:
    """Give the parent to name: the one given, the root of this folder, or none for a node."""
    if session.words.parent:
        return session.node_id(session.words.parent)
    return None if session.in_node else root_here(session)


def _spawn(session: Session, brief: Json, argv: list[str] | None) -> int:
    words = session.words
    admitted = session.client.spawn(
        words.role,
        _with_options(session, brief),
        parent_id=parent_here(session),
        allow_overlap=words.allow_overlap or None,
        idempotency_key=words.key,
        check_only=words.check or None,
        argv=argv,
    )
    if words.check:
        text = "it would be admitted; nothing was started"
        session.voice.answer(admitted, "\n".join([text, *_warnings(admitted)]))
        return exits.OK
    return tell_admitted(session, admitted)


def _warnings(admitted: Json) -> list[str]:
    return [f"warning: {one_line(str(text))}" for text in admitted.get("warnings", ())]


def tell_admitted(session: Session, admitted: Json) -> int:
    """Say what was admitted and, with --wait, how it ended."""
    node_id = str(admitted["nodeId"])
    text = [f"spawned {node_id} ({one_line(str(admitted.get('state')))})", *_warnings(admitted)]
    if not session.words.wait:
        text.append(f"  subsession wait {node_id[-SHORT:]}   subsession show {node_id[-SHORT:]}")
        session.voice.answer(admitted, "\n".join(text))
        return exits.OK
    if not session.voice.as_json:
        session.voice.line("\n".join(text))
    return wait_for(session, [node_id], any_of=False, timeout_s=session.words.timeout)


def succeed(session: Session) -> int:
    """Hire a fresh child that continues a settled one."""
    words = session.words
    admitted = session.client.succeed(
        session.node_id(words.node),
        role=words.role,
        mission=words.mission,
        token_cap=words.token_cap,
        idempotency_key=words.key,
    )
    return tell_admitted(session, admitted)
