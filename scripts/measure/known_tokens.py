"""The daemon as it ships, but for an id source that also writes each token into a file.

With it the bench calls as the daemon's own scripted children, which no one outside can. Run as
`subsessiond` is; `MEASURE_TOKENS` names the file.
"""

import os
import sys
from pathlib import Path

from scripts.measure import inside
from subsessiond import cli
from subsessiond.adapters import ids


class WrittenIds(ids.RandomIds):
    """Makes names, and writes tokens down."""

    def token(self) -> str:
        """A secret, and one more line of the file."""
        token = super().token()
        with open(os.environ["MEASURE_TOKENS"], "a", encoding="ascii") as out:  # noqa: PTH123
            out.write(f"{token}\n")
        return token


if __name__ == "__main__":
    # The one part that is another; the daemon is loaded after this, as it always is.
    ids.RandomIds = WrittenIds  # type: ignore[misc]
    if where := os.environ.get(inside.WHERE):
        inside.watch(Path(where))
    sys.exit(cli.main())
