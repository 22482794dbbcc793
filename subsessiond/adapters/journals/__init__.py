"""The readable record of each child: `<workspace>/.subsession/journals/<node-id>.journal.jsonl`.

Line `n` of a file is record `n`, always, because pointers name the line. Nothing that stands in its
place is ever rewritten; a torn tail is cut, and what cannot be had any more is a line that says so.
The files lie where agents write: nothing below the workspace is trusted, and no link is followed.
"""

from subsessiond.adapters.journals.journals import FileJournals

__all__ = ["FileJournals"]
