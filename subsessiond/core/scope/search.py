"""The two searches over sequences, the same for names made of atoms and paths made of segments.

Owns the product of two sequences (is there a word of both?) and the simulation of several by one
(is every word of this a word of those?). Knows nothing of characters, names or spelling: what two
symbols share and which one holds the other is told by the level they belong to.
"""

from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

from subsessiond.core.scope.steps import Meter
from subsessiond.core.scope.symbols import FILLER, MANY, Many

Symbol = TypeVar("Symbol")
State: TypeAlias = tuple[int, int, int]
"""Place in the left sequence, place in the right one, phase of the word."""

WORD: Final = 3
"""The phase in which what has been spelled so far is a word; phase 0 is the empty one."""


class Level(Struct, Generic[Symbol], frozen=True):
    """What there is to know about the symbols of one level, and the searches over them."""

    options: Callable[[Symbol, Symbol, Meter], Sequence[str]]
    """Texts two symbols share, the one to be tried first at first; none if they share nothing."""
    advance: Callable[[int, str], int]
    """The phase after one more text."""
    holds: Callable[[Symbol, Symbol, Meter], bool]
    """Whether the first symbol provably has all the texts of the second."""
    anything: Symbol
    """The symbol that has all texts."""

    def shared_word(
        self, left: tuple[Symbol | Many, ...], right: tuple[Symbol | Many, ...], meter: Meter
    ) -> tuple[str, ...] | None:
        """Find a word that both sequences match.

        Returns:
            The texts of the word in order, or None if there is none.

        Raises:
            StepsSpentError: not known within the budget, of which a state costs a step.
        """
        start, goal = (0, 0, 0), (len(left), len(right), WORD)
        origin: dict[State, tuple[State, str]] = {start: (start, "")}
        waiting = [start]
        while waiting:
            state = waiting.pop()
            meter.spend()
            if state == goal:
                return _spelled(origin, state)
            fresh: list[State] = []
            for following, text in self._moves(left, right, state, meter):
                if following not in origin:
                    origin[following] = (state, text)
                    fresh.append(following)
            waiting.extend(reversed(fresh))
        return None

    def _moves(
        self,
        left: tuple[Symbol | Many, ...],
        right: tuple[Symbol | Many, ...],
        state: State,
        meter: Meter,
    ) -> list[tuple[State, str]]:
        """List the states one move away, each with what the move spells; the best one first."""
        i, j, phase = state
        here = left[i] if i < len(left) else None
        there = right[j] if j < len(right) else None
        texts: Sequence[str] = ()
        if here is None or there is None:
            texts = ()
        elif isinstance(here, Many):
            if isinstance(there, Many):
                texts = (FILLER,) if phase < WORD else ()
            else:
                texts = self.options(there, there, meter)
        elif isinstance(there, Many):
            texts = self.options(here, here, meter)
        else:
            texts = self.options(here, there, meter)
        moves: list[tuple[State, str]] = []
        if here is MANY:
            moves.append(((i + 1, j, phase), ""))
        if there is MANY:
            moves.append(((i, j + 1, phase), ""))
        after = (i + (here is not MANY), j + (there is not MANY))
        moves.extend(((*after, self.advance(phase, text)), text) for text in texts)
        return moves

    def holds_every_word(
        self,
        outers: tuple[tuple[Symbol | Many, ...], ...],
        inner: tuple[Symbol | Many, ...],
        meter: Meter,
    ) -> bool:
        """Tell whether every word of one sequence is provably a word of some of the others.

        Follows all the places the outer sequences can be at while the inner one is read; exact as
        long as no inner symbol is held only by several outer ones together.

        Returns:
            False also when inclusion holds but cannot be shown this way.

        Raises:
            StepsSpentError: not known within the budget, of which a place looked at costs a step.
        """
        places = _Places(self, outers, meter)
        waiting = [(0, places.first)]
        seen = set(waiting)
        while waiting:
            read, at = waiting.pop()
            if not at or (read == len(inner) and not at & places.ends):
                return False
            following: list[tuple[int, int]] = []
            if read < len(inner):
                symbol = inner[read]
                if isinstance(symbol, Many):
                    following = [(read + 1, at), (read, places.after(at, self.anything))]
                else:
                    following = [(read + 1, places.after(at, symbol))]
            fresh = [state for state in following if state not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return True


class _Places(Generic[Symbol]):
    """The places of several sequences laid end to end; a set of them is an int, a bit for each."""

    def __init__(
        self, level: Level[Symbol], outers: tuple[tuple[Symbol | Many, ...], ...], meter: Meter
    ) -> None:
        self._level = level
        self._meter = meter
        self._line: list[Symbol | Many | None] = []
        starts = self.ends = self._runs = 0
        for outer in outers:
            starts |= 1 << len(self._line)
            self._line.extend((*outer, None))
            self.ends |= 1 << (len(self._line) - 1)
        for place, symbol in enumerate(self._line):
            self._runs |= (symbol is MANY) << place
        self.first = self._closed(starts)

    def after(self, at: int, symbol: Symbol) -> int:
        """Return the places reached from a set of places by any text of the symbol."""
        reached = 0
        for place in range(at.bit_length()):
            if not at >> place & 1:
                continue
            self._meter.spend()
            outer = self._line[place]
            if isinstance(outer, Many):
                reached |= 1 << place
            elif outer is not None and self._level.holds(outer, symbol, self._meter):
                reached |= 2 << place
        return self._closed(reached)

    def _closed(self, at: int) -> int:
        """Add the places reached by letting a run be empty; no two runs stand side by side."""
        return at | (at & self._runs) << 1


def _spelled(origin: dict[State, tuple[State, str]], state: State) -> tuple[str, ...]:
    texts: list[str] = []
    while origin[state][0] != state:
        state, text = origin[state]
        if text:
            texts.append(text)
    return tuple(reversed(texts))
