"""Tools that a request offers, and which of them a script means."""

import re
from typing import NamedTuple


class Offer(NamedTuple):
    """One tool, as the model would have to call it."""

    name: str
    namespace: str = ""
    """For APIs that keep it apart from the name."""
    free: bool = False
    """Whether it takes text in place of arguments."""

    @property
    def full(self) -> str:
        """Its name with the namespace before it."""
        return f"{self.namespace}::{self.name}" if self.namespace else self.name


def find_offer(name: str, offers: tuple[Offer, ...]) -> Offer | None:
    """Give the tool a script names: as it is, by the last part of its name, or by regex."""
    if name.startswith("re:"):
        return next((offer for offer in offers if re.search(name[3:], offer.full)), None)
    ranks = (re.escape(name), rf".*(__|::|[./:]){re.escape(name)}", rf".*[_-]{re.escape(name)}")
    fitting = (o for rank in ranks for o in offers if re.fullmatch(rank, o.full))
    return next(fitting, None)
