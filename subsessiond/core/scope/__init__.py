"""Who owns which files: patterns of a workspace, and whether two of them can meet.

Pure and lexical. Links, letter case and absolute paths are the business of the edge, which brings
what it was told into the form read here; nothing depends on what is on disk.

The grammar, on POSIX paths relative to the workspace:

- `*` any run of characters in one name, `?` any one character, `[a-z]` one of a set, `[!a-z]` one
  outside it, `{a,b}` either, also nested and with slashes inside, `**` as a whole segment any
  number of segments, none included. Two stars in a name with other characters are one: `a**b` is
  `a*b`. A backslash takes the magic from the next character.
- Hidden files are files: a `*` matches a leading dot. No name is `.` or `..`.
- A match covers all that lies under it: `src/app` covers `src/app/x.py`, so do `src/app/` and
  `src/app/**`, which cover `src/app` too, and `src/*` covers all below `src`. The one exception is
  a last segment with magic and a written-out extension: `*.py` names files. So `src/**/*.py` and
  `src/**/*.ts` do not meet in a folder called `x.py`. Who means folders writes `*.py/`.
- `.`, and whatever else resolves to the workspace itself, is `**`.

Normal form: no dot segments, no double slashes, a trailing slash written `/**`, Unicode form C,
only needed escapes, classes sorted, one of a single character written as that character. Reading
a normal text gives that text again.
"""

from subsessiond.core.scope.index import ClaimIndex, Clash, Exempt
from subsessiond.core.scope.nested import OtherClaims, meetings_of
from subsessiond.core.scope.normal import literal_prefix, normal_path, with_prefix
from subsessiond.core.scope.pattern import (
    Meeting,
    Pattern,
    covers,
    expand,
    includes,
    intersect,
    nearest,
    parse_pattern,
)
from subsessiond.core.scope.reading import PatternFault
from subsessiond.core.scope.spelling import escape
from subsessiond.core.scope.steps import BRIEF_STEPS, PAIR_STEPS

__all__ = [
    "BRIEF_STEPS",
    "PAIR_STEPS",
    "ClaimIndex",
    "Clash",
    "Exempt",
    "Meeting",
    "OtherClaims",
    "Pattern",
    "PatternFault",
    "covers",
    "escape",
    "expand",
    "includes",
    "intersect",
    "literal_prefix",
    "meetings_of",
    "nearest",
    "normal_path",
    "parse_pattern",
    "with_prefix",
]
