"""What went between the daemon and each child: `<state>/transcripts/<node-id>/<n>.jsonl`.

For the operator alone. Pieces are queued by the loop, which never waits for them, and written by
one thread for all children, without syncs: a transcript may lose its end when the machine dies, and
loses whole pieces, counted, when the disk cannot take what comes.

A transcript's files are named by the number of their first piece. The first is kept, of the others
only the newest: the beginning of a child's work and what it did last are there, what lies between
may be gone.
"""

from subsessiond.adapters.transcripts.transcripts import FileTranscripts

__all__ = ["FileTranscripts"]
