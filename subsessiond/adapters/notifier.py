"""Shows notices by the desktop's own `notify-send`."""

import asyncio
import subprocess
from typing import Final

WITHIN_S: Final = 3.0
"""A desktop that answers at all does so at once; where there is none it may hang."""


class DesktopNotifier:
    """Runs one program for each notice.

    Args:
        program: path of `notify-send`, or of what takes its words.
    """

    def __init__(self, program: str) -> None:
        self._program = program

    async def notify(self, title: str, text: str) -> str:
        """Show a notice."""
        return await asyncio.to_thread(self._run, title, text)

    def _run(self, title: str, text: str) -> str:
        # Why --: nothing that an agent wrote is an option. Why no session of its own: what this
        # program starts for itself is told by that from what children leave behind.
        words = [self._program, "--app-name=subsessiond", "--", title, text]
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=WITHIN_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{self._program} took more than {WITHIN_S:g} s"
        except (OSError, ValueError) as fault:
            return f"{self._program} cannot be run: {fault}"
        return f"{self._program} ended with {done.returncode}" if done.returncode else ""
