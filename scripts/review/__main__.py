"""Reviews a folder with real tools, each a child of a daemon of its own. `scripts/run` calls it."""

import argparse
import os
import shlex
import sys
import time
from hashlib import sha256
from pathlib import Path

from scripts.review import tour
from scripts.review.children import REPOSITORY, Task, plan
from subsession.cli.ledger import table
from subsession.cli.letters import settled_text
from subsession.cli.news import News
from subsession.cli.voice import Voice, stdout_voice
from subsession.client import Client
from subsession.connect import listening
from subsession.errors import SubsessionError
from subsession.mirror import Mirror
from subsession.start import wait_gone
from subsession.verbs import Json

STATE = REPOSITORY / ".state"
CONFIG = "config"
"""Folder of a daemon's own configuration, in its state directory."""
TICK_MS = 500
_ABOUT = "Reviews a folder with real tools, each a child session of a daemon of its own."
EXIT_UNSETTLED = 1
EXIT_INTERRUPTED = 130
_NO_REPORT = ("daemon-restart", "start-interrupted")
"""Ends that nobody reported: the daemon found them so."""


def main() -> int:
    """Do what the words say; 0 when every child was settled by a report, whatever it found."""
    words = _read_words()
    folder = (Path(words.start) / words.folder).resolve() if words.folder else REPOSITORY
    if not folder.is_dir():
        print(f"run: {folder} is no folder", file=sys.stderr)
        return 2
    voice = stdout_voice(as_json=False)
    state = Path(words.state).absolute() / ("tour" if words.tour else "run")
    client = open_client(state)
    try:
        if words.tour:
            return _tour(client, voice, state, ends=words.exit)
        tasks = plan(folder, _cache(state, folder), with_tests=words.with_tests)
        return _review(client, voice, folder, tasks, ends=words.exit)
    except SubsessionError as fault:
        voice.note(str(fault))
        return EXIT_UNSETTLED
    except KeyboardInterrupt:
        voice.note("interrupted")
        if not words.exit:
            voice.line(f"The children go on.\n{_commands(state)}")
        return EXIT_INTERRUPTED
    finally:
        if words.exit:
            end_daemon(client, voice)
        client.close()


def _read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/run", description=_ABOUT)
    parser.add_argument("folder", nargs="?", help="default: this repository")
    parser.add_argument("--with-tests", action="store_true", help="run another folder's tests too")
    parser.add_argument("--tour", action="store_true", help="a short walk, partly scripted")
    parser.add_argument("--exit", action="store_true", help="end the daemon afterwards")
    parser.add_argument("--from", dest="start", default=".", help=argparse.SUPPRESS)
    parser.add_argument("--state", default=STATE, help="where its state is kept (.state)")
    return parser.parse_args()


def _cache(state: Path, folder: Path) -> Path:
    """Give the place where tools keep what they remember of a folder."""
    return state.parent / "cache" / sha256(os.fsencode(folder)).hexdigest()[:12]


def open_client(state: Path) -> Client:
    """Give a client of a daemon whose state, socket and configuration are its own."""
    config = state / CONFIG
    config.mkdir(mode=0o700, parents=True, exist_ok=True)
    (state.parent / ".gitignore").write_text(
        "*\n"
    )  # it hides itself, where the clone's rules do not
    for name in [name for name in os.environ if name.startswith("SUBSESSION_")]:
        del os.environ[name]  # a daemon of the user's, or a node this runs in, is not meant
    os.environ["SUBSESSION_STATE_DIR"] = str(state)
    os.environ["SUBSESSION_CONFIG_DIR"] = str(config)
    return Client(token="", start=True)


def _review(client: Client, voice: Voice, folder: Path, tasks: list[Task], *, ends: bool) -> int:
    info = client.connect()
    state = Path(info["stateDir"])
    voice.line(f"daemon {info.get('version')}, process {info['pid']}, state in {state}")
    root = client.open(str(folder), title=f"review of {folder.name}")
    voice.line(f"root on {root['workspace']}, {root['tokenCap']:,} tokens\n")
    names = [_spawn(client, root["nodeId"], task) for task in tasks]
    mirror = Mirror(root["nodeId"])
    watch(client, voice, mirror, names)
    views = [client.node(name) for name in names]
    _tell(client, voice, root["nodeId"], views)
    if not ends:
        voice.line(how_to_go_on(state, root["nodeId"], names))
    settled = [view["row"].get("reason") not in _NO_REPORT for view in views]
    return 0 if all(settled) else EXIT_UNSETTLED


def _tour(client: Client, voice: Voice, state: Path, *, ends: bool) -> int:
    workspace = tour.prepare(state)
    if listening(client.place):
        client.reload()  # the scripts' places may have moved with the clone
    root = client.open(str(workspace), title="tour")["nodeId"]
    code = tour.play(tour.Stage(voice, client, state, root))
    if not ends:
        voice.line(f"\n{_commands(state)}")
    return code


def _commands(state: Path, more: str = "") -> str:
    """Say how this daemon is reached and ended, and started again as it was."""
    program = str(Path(sys.executable).parent / "subsession")
    # Why `env`: who starts this daemon anew, after a crash, has to name its configuration too.
    config = f"SUBSESSION_CONFIG_DIR={state / CONFIG}"
    command = shlex.join(("env", config, program, "--state-dir", str(state)))
    return (
        "The daemon stays up. Go on with:\n"
        f"  alias s={shlex.quote(command)}\n"
        f"{more}"
        "  s tree                  all nodes; --live keeps it current\n"
        "  s down                  end the daemon"
    )


def _spawn(client: Client, root: str, task: Task) -> str:
    brief = {"mission": task.mission, "title": task.title}
    return str(client.spawn("check", brief, parent_id=root, argv=list(task.argv))["nodeId"])


def watch(client: Client, voice: Voice, mirror: Mirror, names: list[str]) -> None:
    """Show a tree until these nodes have settled: in place, or a line for each step."""
    if not voice.is_terminal:
        news = News(voice)
        client.follow(mirror.refresh())
        news.tell(mirror.rows.values(), _now_ms())
        while not all(map(mirror.is_settled, names)):
            client.follow(mirror.refresh(20_000))
            news.tell(mirror.rows.values(), _now_ms())
        return
    from subsession.cli.live import Screen  # noqa: PLC0415 -- rich only where it is seen

    with Screen(voice) as screen:
        client.follow(mirror.refresh())
        while not all(map(mirror.is_settled, names)):
            screen.show(mirror.rows.values(), _now_ms())
            client.follow(mirror.refresh(TICK_MS))
        screen.show(mirror.rows.values(), _now_ms())


def _now_ms() -> float:
    return time.time() * 1_000


def take_mail(client: Client, root: str) -> None:
    """Read all mail of a root whose agent is this script, and say that it was read."""
    while ids := [mail["messageId"] for mail in client.inbox(node_id=root)["messages"]]:
        client.inbox(node_id=root, acknowledge=ids)


def _tell(client: Client, voice: Voice, root: str, views: list[Json]) -> None:
    """Show each bounded report, and what it saved."""
    for view in views:
        voice.line(f"\n{settled_text(view, voice)}")
    take_mail(client, root)
    found = client.stats(root)
    voice.line("")
    for line in table(found["roots"], found["rows"], voice):
        voice.line(line)


def how_to_go_on(state: Path, root: str, names: list[str]) -> str:
    """Say what to type next."""
    more = (
        f"  s show {names[0][-6:]}           all about one child\n"
        f"  s stats {root[-6:]}          what they hold, and what of it was shown\n"
        f"  s journal {names[0][-6:]}        the record of one child\n"
        f"  s run --wait -- ls      a child of your own\n"
    )
    return f"\n{_commands(state, more)}"


def end_daemon(client: Client, voice: Voice) -> None:
    """End the daemon of this script and wait until it has gone."""
    try:
        pid = int(client.info()["pid"])
        client.shutdown()
    except SubsessionError as fault:
        voice.note(str(fault))
        return
    if client.socket is not None and wait_gone(client.socket, pid, 60):
        voice.line("\nthe daemon has ended")
    else:
        voice.note(f"the daemon (process {pid}) is still ending")


if __name__ == "__main__":
    sys.exit(main())
