"""Every canonical refusal, provoked from outside: the table that tests walk and people read.

    python -m tests.support.refusals

prints what a caller is told in each case.
"""

import sys
from collections.abc import Callable
from typing import Final, NamedTuple

from subsession.errors import Refusal
from subsessiond.model.rejection import Code
from tests.support import provoke
from tests.support.daemon import Daemon
from tests.support.provoke import CONFIG
from tests.support.yard import Yard


class Case(NamedTuple):
    """One refusal and what its caller must be told."""

    code: Code
    step: str
    provoke: Callable[[Yard], Refusal]
    facts: tuple[str, ...] = ()
    """Members of the data beside code, step and retryable."""
    says: tuple[str, ...] = ()
    """Words of the sentence: what was met, and what to do next."""
    retryable: bool | None = None
    """None = as the code has it."""


CASES: Final = (
    Case(Code.BRIEF_INVALID, "brief", provoke.brief_invalid, ("fields",), ("mend the fields",)),
    Case(Code.ROLE_UNKNOWN, "role", provoke.role_unknown, (), ("roles.list",)),
    Case(
        Code.ROLE_UNSAFE,
        "role-safe",
        provoke.role_unsafe,
        (),
        ("tier worker of role worker", "[tiers] in agents.toml"),
    ),
    Case(
        Code.DEPTH_EXCEEDED,
        "depth",
        provoke.depth_exceeded,
        ("limit", "actual"),
        ("ask for less depth",),
    ),
    Case(
        Code.TOOL_FILTER_REFUSED,
        "tools",
        provoke.tool_filter_refused,
        ("paths",),
        ("no edit", "choose"),
    ),
    Case(
        Code.SCOPE_OVERLAP,
        "scope",
        provoke.scope_overlap,
        ("sibling", "paths"),
        ("owns src/**", "allowOverlap"),
    ),
    Case(
        Code.TREE_BUDGET_EXCEEDED,
        "budget",
        provoke.budget_exceeded,
        ("limit", "actual"),
        ("ask for a smaller cap, or wait",),
    ),
    Case(
        Code.TREE_BUDGET_EXCEEDED,
        "budget",
        provoke.budget_hopeless,
        ("limit", "actual"),
        ("at most 5000000", "ask for less"),
        retryable=False,
    ),
    Case(
        Code.CONCURRENCY_EXCEEDED,
        "concurrency",
        provoke.concurrency_exceeded,
        ("limit", "actual"),
        ("children of one parent", "wait"),
    ),
    Case(
        Code.START_FAILED, "start", provoke.start_failed, ("sibling",), ("/nowhere/program", "mend")
    ),
    Case(Code.PARENT_NOT_LIVE, "parent", provoke.parent_not_live, (), ("spawn below a live node",)),
    Case(Code.KEY_CONFLICT, "key", provoke.key_conflict, ("sibling",), ("use another key",)),
    Case(Code.SUBTREE_STOPPING, "stopping", provoke.subtree_stopping, (), ("spawn below a node",)),
    Case(
        Code.SCOPE_OUTSIDE_PARENT,
        "scope",
        provoke.scope_outside_parent,
        ("paths",),
        ("nearest pattern the parent owns is src/**", "own files inside"),
    ),
    Case(
        Code.REPORT_TOO_LARGE,
        "size",
        provoke.report_too_large,
        ("limit", "actual"),
        ("write a file you own and send its path",),
    ),
    Case(Code.REPORT_INVALID, "shape", provoke.report_invalid, ("fields",), ("mend the fields",)),
    Case(
        Code.REPORT_CONTRACT,
        "sections",
        provoke.report_contract,
        ("paths",),
        ("risks", "with them"),
    ),
    Case(Code.OUTPUT_SCHEMA, "schema", provoke.output_schema, (), ("count", "mend it")),
    Case(Code.NODE_SETTLED, "live", provoke.node_settled, (), ("end your turn",)),
    Case(
        Code.REPORT_UNDELIVERABLE, "live", provoke.report_undeliverable, (), ("was not delivered",)
    ),
    Case(
        Code.CHILDREN_LIVE, "children", provoke.children_live, ("actual", "paths"), ("endChildren",)
    ),
    Case(
        Code.MESSAGE_TOO_LARGE,
        "size",
        provoke.message_too_large,
        ("limit", "actual"),
        ("fewer words",),
    ),
    Case(Code.NODE_NOT_LIVE, "live", provoke.node_not_live, (), ("settled", "succeed")),
    Case(
        Code.CHECKPOINT_TOO_LARGE,
        "size",
        provoke.checkpoint_too_large,
        ("limit", "actual"),
        ("into a file you own",),
    ),
    Case(
        Code.CHECKPOINT_INVALID,
        "shape",
        provoke.checkpoint_invalid,
        ("fields",),
        ("mend the fields",),
    ),
    Case(Code.ALREADY_ATTACHED, "attached", provoke.already_attached, (), ("succeed",)),
    Case(
        Code.PREDECESSOR_LIVE, "predecessor", provoke.predecessor_live, ("sibling",), ("cancel it",)
    ),
    Case(
        Code.ALREADY_SUCCEEDED,
        "predecessor",
        provoke.already_succeeded,
        ("sibling",),
        ("go on with",),
    ),
    Case(
        Code.GENERATIONS_EXCEEDED,
        "generations",
        provoke.generations_exceeded,
        ("limit", "actual"),
        ("why it keeps failing",),
    ),
    Case(Code.NOT_FOUND, "node", provoke.not_found, (), ("tree shows",)),
    Case(Code.NOT_ALLOWED, "caller", provoke.not_allowed, (), ("only the operator", "terminal")),
    Case(
        Code.BUSY,
        "guard",
        provoke.busy,
        ("limit", "retry_after_ms"),
        ("change what they ask for", "wait"),
    ),
    Case(
        Code.STORE_UNAVAILABLE, "commit", provoke.store_unavailable, ("retry_after_ms",), ("disk",)
    ),
)

FACTS: Final = ("fields", "limit", "actual", "sibling", "paths", "retry_after_ms")


def main() -> None:
    """Print what a caller is told in each case."""
    with Daemon(config=CONFIG) as daemon:
        for case in CASES:
            with Yard(daemon, case.provoke.__name__) as yard:
                refusal = case.provoke(yard)
            retry = "retry" if refusal.retryable else "final"
            sys.stdout.write(f"{refusal.number} {refusal.code} [{refusal.step}, {retry}]\n")
            sys.stdout.write(f"     {refusal.message}\n")
            facts = ((fact, getattr(refusal, fact)) for fact in FACTS)
            for fact, value in facts:
                if value not in (None, ()):
                    sys.stdout.write(f"     {fact}: {value}\n")


if __name__ == "__main__":
    main()
