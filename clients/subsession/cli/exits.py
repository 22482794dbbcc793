"""Exit codes of the command line. They are an interface: scripts branch on them."""

OK = 0
BUG = 1
USAGE = 2
REFUSED = 3
UNREACHABLE = 4
BLOCKED = 10
FAILED = 11
CANCELLED = 12
ORPHANED = 13
TIMEOUT = 124
INTERRUPTED = 130
BROKEN_PIPE = 141

BY_OUTCOME = {
    "completed": OK,
    "blocked": BLOCKED,
    "failed": FAILED,
    "cancelled": CANCELLED,
    "orphaned": ORPHANED,
}

LEGEND = """\
exit codes:
    0  done; where a node was waited for: completed
    1  the daemon met a bug, or what answered was no subsessiond
    2  the command line could not be understood
    3  the daemon refused
    4  no daemon to talk to: none runs, it did not start, or it speaks another protocol
   10  blocked        11  failed        12  cancelled        13  orphaned
  124  the time of --timeout is over
  130  interrupted
of several nodes that were waited for, the largest of their codes counts"""
