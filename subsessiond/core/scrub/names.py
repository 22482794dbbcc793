"""Which names say that what they name is secret, and which values can be one."""

import re
from typing import Final

WORDS: Final = (
    r"api[_-]?keys?|keys?|tokens?|secrets?|passw(?:or)?ds?|passphrase|passcode|pwd|pass|"
    r"credentials?|signature"
)
"""What such names end with."""

AFTER: Final = r"(?:_(?:id|value|b64|base64|json|prod|dev|test|new|old)|_?[0-9]{1,3})?"
"""What may still come after it."""

_SURE: Final = ("apikey", "secret", "password", "passwd", "passphrase", "passcode", "pwd")
"""Words that need nothing beside them."""

_PLURAL: Final = ("keys", "tokens", "signature")
"""Words that mostly name something else: `max_tokens`, `dict keys`."""

_JOINED: Final = (
    *("access", "secret", "private", "auth", "app", "client", "service", "account", "master"),
    *("encryption", "signing", "session", "refresh", "bearer", "bot", "user", "deploy", "license"),
    *("ssh", "gpg", "db"),
)
"""First words that are written together with the last one: `ACCESSTOKEN`."""

_HARMLESS: Final = (
    *("primary", "foreign", "public", "sort", "cache", "partition", "row", "dict", "map", "object"),
    *("unique", "lock", "group", "index", "next", "page", "unexpected", "invalid", "expected"),
)
"""First words of names that say nothing secret: `primary_key`."""

_LOOK_BACK: Final = 24
_TRIVIAL: Final = re.compile(
    r"(?:true|false|none|null|nil|undefined|required|missing|invalid|unset|empty|str|string|bytes)"
    r"(?![^\s,;)\]}>&\"'\\])|[\s\"']|[|>][+-]?[0-9]?[ \t]{0,8}(?:[\r\n]|\Z)|\Z",
    re.IGNORECASE,
)
_LOOKS: Final = re.compile(r"[^\s\"'\\,;&]{8,64}")
_LAST: Final = re.compile(rf"({WORDS}){AFTER}\Z", re.IGNORECASE | re.ASCII)
_LETTER: Final = re.compile(r"[A-Za-z]")
_DIGIT: Final = re.compile(r"[0-9]")


def is_secret_name(name: str) -> bool:
    """Tell whether the name of a variable says that its value is secret."""
    word = _LAST.search(name)
    value_at = len(name) + 1
    return word is not None and names_secret(f"{name}=x1", word, "=", value_at, quoted=False)


def looks_secret(text: str, at: int) -> bool:
    """Tell whether what stands there is long enough and mixed, as no word of a sentence is."""
    found = _LOOKS.match(text, at)
    return bool(found and _LETTER.search(found[0]) and _DIGIT.search(found[0]))


def is_trivial(text: str, at: int) -> bool:
    """Tell whether what stands there is nothing, or a word that says that there is nothing."""
    return bool(_TRIVIAL.match(text, at))


def names_secret(text: str, word: re.Match[str], sep: str, value_at: int, *, quoted: bool) -> bool:
    """Tell whether a name that ends with one of the words is given a secret.

    Args:
        text: The text.
        word: The word.
        sep: What stands between name and value, without blanks.
        value_at: Where the value begins.
        quoted: Whether the name stands in quotes.
    """
    small = word[1].lower().replace("_", "").replace("-", "")
    before = text[max(0, word.start(1) - _LOOK_BACK) : word.start(1)]
    if before.lower().rstrip("_.-").endswith(_HARMLESS) or is_trivial(text, value_at):
        return False
    if small.rstrip("s") in _SURE:
        return small != "pwd" or not text.startswith(("/", "~"), value_at)
    compound = _is_last_of_several(before, word[1])
    if small in _PLURAL:
        return compound and looks_secret(text, value_at)
    if compound or before[-1:].isalnum():
        return compound
    plain = sep == "=" and (word[1].isupper() or small == "token")
    return plain or (quoted and sep != "=") or looks_secret(text, value_at)


def _is_last_of_several(before: str, word: str) -> bool:
    """Tell whether the word ends a longer name: `API_KEY`, `apiKey`, `ACCESSKEY`."""
    if before[-1:] in ("_", "-", "."):
        return before[-2:-1].isalnum()
    camel = word[:1].isupper() and not word.isupper() and before[-1:].islower()
    return camel or before.lower().endswith(_JOINED)
