"""The one who scrubs: the rules, and the values that the operator named."""

from collections.abc import Iterable
from typing import Final

from subsessiond.core.bounds import cut_bytes, tail_bytes
from subsessiond.core.scrub.blocks import after_key_lines, find_blocks
from subsessiond.core.scrub.commands import find_commands
from subsessiond.core.scrub.folded import find_folded
from subsessiond.core.scrub.headers import find_headers
from subsessiond.core.scrub.listed import begun_before, find_broken, find_listed, forms_of, usable
from subsessiond.core.scrub.pairs import find_pairs
from subsessiond.core.scrub.shapes import find_shapes
from subsessiond.core.scrub.spans import Span, joined, replaced_in_pieces
from subsessiond.core.scrub.urls import find_urls

GUARD: Final = 8_192
"""Characters of a cut text's front in which half a secret may lie: longer than keys are."""

_PASSES: Final = 6
"""How often a text is looked through: where a mark has taken the place of many lines, what follows
may now belong to the name before them. Two passes are the rule, three a rarity.
"""

_FINDERS: Final = (
    *(find_shapes, find_blocks, find_headers, find_urls, find_pairs),
    *(find_folded, find_commands),
)


class Scrubber:
    """Takes secrets out of texts.

    Args:
        values: Values that are secret here, whatever they look like; those too short are left out.
    """

    __slots__ = ("_forms",)

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = (form for value in values if usable(value) for form in forms_of(value))
        self._forms = tuple(dict.fromkeys(forms))

    def __repr__(self) -> str:
        """Tell nothing of the values."""
        return f"Scrubber({len(self._forms)} forms)"

    def spans(self, text: str) -> tuple[Span, ...]:
        """Find what must go: places in order and apart."""
        found = (span for find in _FINDERS for span in find(text))
        listed = (*find_listed(text, self._forms), *find_broken(text, self._forms))
        return joined((*found, *listed))

    def scrub(self, text: str) -> str:
        """Replace every secret by the mark; the rest stays as it is."""
        return self.pieces((text,))[0]

    def pieces(self, pieces: tuple[str, ...]) -> tuple[str, ...]:
        """Scrub a text that lies in pieces, as the whole that it is."""
        for _ in range(_PASSES):
            clean = replaced_in_pieces(pieces, self.spans("".join(pieces)))
            if clean == pieces:
                break
            pieces = clean
        return pieces

    def head(self, text: str, limit: int) -> str:
        """Scrub, then keep the first `limit` bytes, cut between characters.

        Of a text far longer than asked for, what lies far behind its head is not looked at.
        """
        near = limit + GUARD
        return cut_bytes(self.pieces((text[:near], text[near : near + GUARD]))[0], limit)

    def tail(self, text: str, limit: int, *, begun: bool = False) -> str:
        """Scrub, then keep the last `limit` bytes, cut between characters.

        Args:
            text: The text.
            limit: Bytes.
            begun: The text is the end of a longer one: it may begin in the middle of a secret.
        """
        if len(text) > limit + 2 * GUARD:
            text, begun = text[-(limit + 2 * GUARD) :], True
        return tail_bytes(self.scrub(self.from_whole(text) if begun else text), limit)

    def from_whole(self, text: str) -> str:
        """Drop what may be the end of a secret from a text that was cut at its front.

        That is all up to the first line break or, where that is too far away, the first blank or,
        where there is none, a length that no key has; then lines that may be a key's.
        """
        text = text[begun_before(text, self._forms) :]
        line = text.find("\n", 0, GUARD) + 1
        if not line:
            line = next((i + 1 for i, c in enumerate(text[:GUARD]) if c.isspace()), GUARD)
        text = text[line:]
        return text[after_key_lines(text, GUARD) :]
