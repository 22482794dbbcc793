"""Keys that are known by their shape alone."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.spans import Span

# Why each of these is a beginning and a run that cannot give back: an attempt either fails within
# a few characters or takes all it has read, so no character is read more than a few times.
_BEGUN: Final = (
    r"sk-(?:ant|proj|svcacct|admin|or)-[\w-]{12,}+",  # Anthropic, OpenAI, OpenRouter
    r"gh[pousr]_[A-Za-z0-9]{16,}+",  # GitHub
    r"github_pat_\w{16,}+",
    r"gl(?:pat|dt|ptt|rt|rtr|soat|cbt|imt|agent|oas|ffct|ft)-[\w-]{16,}+",  # GitLab
    r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,}+",  # AWS
    r"AIza[\w-]{30,}+",  # Google
    r"ya29\.[\w-]{16,}+",
    r"GOCSPX-[\w-]{16,}+",
    r"xox[abceoprs]-[\w-]{10,}+",  # Slack
    r"xapp-[\w-]{10,}+",
    r"hooks\.slack\.com/services/[\w/]{16,}+",
    r"[spr]k_(?:live|test)_[A-Za-z0-9]{10,}+",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}+",
    r"npm_[A-Za-z0-9]{20,}+",
    r"pypi-[\w-]{32,}+",
    r"dckr_pat_[\w-]{16,}+",
    r"hf_[A-Za-z0-9]{16,}+",  # Hugging Face
    r"gsk_[A-Za-z0-9]{20,}+",  # Groq
    r"xai-[A-Za-z0-9]{20,}+",
    r"pplx-[A-Za-z0-9]{20,}+",
    r"r8_[A-Za-z0-9]{20,}+",  # Replicate
    r"tvly-[\w-]{16,}+",
    r"do[opr]_v1_[a-f0-9]{16,}+",  # DigitalOcean
    r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}+",  # Shopify
    r"lin_(?:api|oauth)_[A-Za-z0-9]{16,}+",
    r"ntn_[A-Za-z0-9]{20,}+",
    r"SG\.[\w-]{16,}+\.[\w-]{16,}+",  # SendGrid
    r"AGE-SECRET-KEY-1[A-Z0-9]{16,}+",
    r"hv[sbr]\.[\w-]{20,}+",  # Vault
)
_KEYS: Final = re.compile("|".join(_BEGUN), re.ASCII)

_PLAIN: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
    r"(?:sk-([\w-]{16,}+)"  # older OpenAI keys and their imitators
    r"|[0-9]{8,10}:(AA[\w-]{33})(?![\w-]))",  # Telegram
    re.ASCII,
)
"""Shapes that also words can have: only those with a digit are keys."""

_SIGNED: Final = re.compile(r"eyJ[\w-]{6,}+(?:\.[\w-]*+){0,4}", re.ASCII)
"""A JSON object in base64, and what follows it between dots."""

_AWS: Final = re.compile(r"A[KS]IA[A-Z0-9]{12}", re.ASCII)
_AWS_SECRET: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])", re.ASCII)
_DIGIT: Final = re.compile(r"[0-9]", re.ASCII)
_MIXED: Final = (_DIGIT, re.compile(r"[a-z]"), re.compile(r"[A-Z]"))


def find_shapes(text: str) -> Iterator[Span]:
    """Find keys by their shapes."""
    yield from (found.span() for found in _KEYS.finditer(text))
    for found in _PLAIN.finditer(text):
        if _DIGIT.search(found[1] or found[2]):
            yield found.span()
    for found in _SIGNED.finditer(text):
        if "." in found[0]:
            yield found.span()
    if _AWS.search(text):
        yield from _find_aws_secrets(text)


def _find_aws_secrets(text: str) -> Iterator[Span]:
    """Find the secret halves: 40 characters of base64 beside a public half."""
    for found in _AWS_SECRET.finditer(text):
        if all(kind.search(found[0]) for kind in _MIXED):
            yield found.span()
