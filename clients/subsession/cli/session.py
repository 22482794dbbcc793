"""What every verb is given: the parsed words, a voice, and a client that connects when used."""

import os
import re
from argparse import Namespace
from collections.abc import Iterator

from subsession.cli.voice import Voice
from subsession.client import Client
from subsession.connect import listening
from subsession.errors import Refusal, Refused
from subsession.mirror import Mirror
from subsession.text import cut
from subsession.verbs import Json

_NODE_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{26}", re.ASCII)
_SHORTEST = 4
SHORT = 6
"""Characters of the short form of an id that the tree shows: the last ones, which are by chance."""


class UsageProblem(Exception):
    """What was asked for cannot be understood; the text says why."""


class Session:
    """One run of the command line.

    Args:
        words: the parsed command line.
        voice: where to speak.
    """

    def __init__(self, words: Namespace, voice: Voice) -> None:
        self.words = words
        self.voice = voice
        self._client: Client | None = None

    @property
    def in_node(self) -> bool:
        """Whether this process belongs to a node and speaks as it.

        Either variable says so: agents hide from their shells what is called a token, and the
        daemon knows a child by its process.
        """
        return any(os.environ.get(name) for name in ("SUBSESSION_TOKEN", "SUBSESSION_NODE"))

    def make_client(self, *, start: bool) -> Client:
        """Give a client that is not connected yet."""
        return Client(self.words.socket, state_dir=self.words.state_dir, start=start)

    @property
    def client(self) -> Client:
        """The client; the first use connects it, and starts a daemon when none runs."""
        if self._client is None:
            client = self.make_client(start=True)
            starts = not self.in_node and listening(client.place) is None
            client.connect()
            if starts:
                self.voice.note(f"started the daemon, which listens on {client.socket}")
            self._client = client
        return self._client

    def close(self) -> None:
        """Give the connection back."""
        if self._client is not None:
            self._client.close()

    def rows(self, root_id: str | None = None) -> list[Json]:
        """Fetch the rows of the tree."""
        mirror = Mirror(root_id)
        self.client.follow(mirror.refresh())
        return list(mirror.rows.values())

    def node_id(self, text: str) -> str:
        """Give the id that a text names: an id, the end of one, or a title only one node has.

        Raises:
            UsageProblem: it names several nodes.
            Refused: it names none.
        """
        if _NODE_ID.fullmatch(text):
            return text
        found = list(_named(text.removeprefix("…"), self.rows()))
        if len(found) > 1:
            lines = "".join(
                f"\n  {row['nodeId']}  {cut(str(row.get('title', '')), 40)}" for row in found
            )
            raise UsageProblem(f"{cut(text, 40)!r} names {len(found)} nodes:{lines}")
        if not found:
            refusal = Refusal("NOT_FOUND", 9001, f"no node here is called {cut(text, 40)!r}")
            raise Refused(refusal)
        return str(found[0]["nodeId"])


def _named(text: str, rows: list[Json]) -> Iterator[Json]:
    """Give the rows that a text names, by the end of their id, else by their title."""
    ends = [row for row in rows if len(text) >= _SHORTEST and str(row["nodeId"]).endswith(text)]
    yield from ends or [row for row in rows if row.get("title") == text]
