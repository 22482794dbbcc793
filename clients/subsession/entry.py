"""Where the `subsession` command begins: agents wait for `mcp` and `hook`, so these load little."""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the words say and give the exit code.

    Args:
        argv: the words after the program's name; absent: this process's.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["mcp"]:
        from subsession.mcp.words import read_words

        if (found := read_words(words[1:])) is not None:
            from subsession.mcp.run import run

            return run(found)
    if words[:2] == ["hook", "stop"]:
        from subsession.hook import run_words

        return run_words(words[2:])
    from subsession.cli import main as every_verb

    return every_verb(words)
