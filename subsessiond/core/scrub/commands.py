"""Passwords in the command lines of programs that take them there, and in `netrc` files.

Which option holds one depends on the program: `-p` is a password to one and a port to another. So
an option is looked at only behind a program that is known, up to the end of its line or command.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from subsessiond.core.scrub.names import is_trivial
from subsessiond.core.scrub.pairs import end_of_value
from subsessiond.core.scrub.spans import Span


class _Way(NamedTuple):
    """How a program is given a password."""

    options: tuple[str, ...]
    after: str = ""
    """What stands between a user and the password; empty where there is no user."""
    glued: bool = False
    """Whether it stands right behind its option: what comes after a blank is something else."""


_CURL: Final = _Way(("-u", "--user", "-U", "--proxy-user"), after=":")
_HTTPIE: Final = _Way(("-a", "--auth"), after=":")
_MYSQL: Final = _Way(("-p",), glued=True)
_PLAIN: Final = _Way(("-p",))
_WAYS: Final[Mapping[str, _Way]] = MappingProxyType(
    {
        "curl": _CURL,
        **dict.fromkeys(("http", "https"), _HTTPIE),
        **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mariadb"), _MYSQL),
        **dict.fromkeys(("sshpass", "mongo", "mongosh", "login"), _PLAIN),
        "redis-cli": _Way(("-a",)),
        "ldapsearch": _Way(("-w",)),
        "smbclient": _Way(("-U",), after="%"),
    },
)

_WORDS: Final = re.compile(
    r"(?<![\w.-])(curl|https?|mysql(?:dump|admin)?|mariadb|sshpass|mongo(?:sh)?|redis-cli|ldapsearch"
    r"|smbclient|(?:docker|podman|oc|registry)[ \t]{1,4}login)(?=[ \t\"'])"
    r"|(?<=[ \t\"'])(-[uUpaw]|--user|--proxy-user|--auth)"
    r"((?:[\"']?(?:[ \t]{1,4}|,[ \t]{0,4})|=)?)([\"']?)(?=[^\s\"'])"
    r"|[\n;|]|&&",
    re.ASCII,
)
"""A program; an option, what stands behind it, and the quote of its value; an end."""

_NETRC: Final = re.compile(
    r"\bmachine\s{1,8}\S{1,256}+\s{1,8}(?:(?:login|account)\s{1,8}\S{1,256}+\s{1,8}){0,2}"
    r"password\s{1,8}(\S{1,1024})"
    r"|^[ \t]{0,8}login[ \t]{1,8}\S{1,256}+[ \t]{0,8}\r?\n[ \t]{0,8}password[ \t]{1,8}(\S{1,1024})",
    re.MULTILINE | re.ASCII,
)


def find_commands(text: str) -> Iterator[Span]:
    """Find what known programs are given as a password."""
    way: _Way | None = None
    for word in _WORDS.finditer(text):
        if word[2] is None:
            way = _WAYS[word[1].split()[-1]] if word[1] else None
        elif way is not None and word[2] in way.options:
            yield from _password(text, way, word)
    for found in _NETRC.finditer(text):
        yield found.span(1 if found[1] is not None else 2)


def _password(text: str, way: _Way, option: re.Match[str]) -> Iterator[Span]:
    if way.glued and option[3]:
        return
    at = option.end()
    end = end_of_value(text, at, option[4] or None)
    if way.after:
        at = text.find(way.after, at, end) + 1
    if 0 < at < end and not is_trivial(text, at):
        yield at, end
