"""Rules that hire: roots, spawns, successions, each judged by the model first."""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from subsessiond.model.brief import Grant
from subsessiond.model.decision import Admitted
from subsessiond.model.rejection import Code, Rejection
from tests.support import moves
from tests.support.machine.stage import CoreStage, index
from tests.support.naive import Person, held

PATTERNS = ("a", "a/*", "a/x", "b/**", "b/y", "*/x", "c", "**")
CAPS = {"lead": 1_000_000, "worker": 200_000, "reader": 200_000}
DEPTHS = {"lead": 2, "worker": 0, "reader": 0}
CALLERS = (moves.OPERATOR, moves.PERSON)


class Wish(NamedTuple):
    """What a spawn asks for."""

    role: str = "worker"
    owns: tuple[str, ...] = ()
    key: str | None = None
    allow: bool = False
    cap: int | None = None
    only: bool = False

    @property
    def tokens(self) -> int:
        """The cap it comes to."""
        return CAPS.get(self.role, 200_000) if self.cap is None else self.cap

    @property
    def order(self) -> str:
        """What its key stands for."""
        return f"{self.role} {self.cap} {self.owns}"


owning = st.lists(st.sampled_from(PATTERNS), max_size=2, unique=True).map(tuple)
wishes = st.builds(
    Wish,
    role=st.sampled_from(["lead", "lead", "worker", "reader", "none"]),
    owns=owning,
    key=st.sampled_from([None, None, "k", "l"]),
    allow=st.booleans(),
    cap=st.sampled_from([None, None, 100, 50_000, 900_000]),
    only=st.sampled_from([False, False, False, True]),
)


class Hiring(CoreStage):
    """What asks for a new node."""

    @initialize()
    def begin(self) -> None:
        """Open the first root."""
        self.open()

    @rule()
    def open(self) -> None:
        """Open another root, up to three."""
        roots = [one for one in self.naive.people.values() if one.parent is None and one.live]
        if len(roots) >= 3:
            return
        label = self.fresh()
        self.play(moves.open_root(label))
        cap = self.now.policy.limits.root_token_cap
        self.naive.people[label] = Person(label, None, "root", cap, 8, status="running", reserve=0)

    @rule(under=index, by=st.sampled_from(["parent", "parent", "operator", "other"]), wish=wishes)
    def spawn(self, under: int, by: str, wish: Wish) -> None:
        """Spawn below somebody, and know beforehand what will be said."""
        parent, label = self.employer(under), self.fresh()
        caller = {"parent": parent, "operator": moves.OPERATOR}.get(by) or self.label(under + 1)
        known = self.naive.keys.get((parent, wish.key or ""))
        expected = self.judge(parent, caller, wish)
        step = moves.spawn(
            label,
            under=parent,
            by=caller,
            role=wish.role,
            owns=wish.owns,
            key=wish.key,
            allow_overlap=wish.allow,
            check_only=wish.only,
            token_cap=wish.cap,
        )
        reply = self.play(step)
        if isinstance(reply, Rejection):
            assert reply.code is expected, (reply, expected)
            return
        assert isinstance(reply, Admitted)
        assert expected is None, (expected, reply)
        if known is not None:
            assert reply.node_id == self.now.id(known[0])
        elif not wish.only:
            self.admit(label, parent, wish)
            if wish.key is not None:
                self.naive.keys[parent, wish.key] = (label, wish.order)

    def judge(self, parent: str, caller: str, wish: Wish) -> Code | None:
        """Run the pipeline by hand: of the tuple in the pinned order, the first that is true."""
        over = self.naive.people.get(parent)
        if over is None or (caller not in CALLERS and caller != parent):
            return Code.NOT_FOUND
        if caller == parent and over.role in ("worker", "reader"):
            return Code.NOT_ALLOWED
        known = self.naive.keys.get((parent, wish.key or ""))
        if known is not None:
            return None if known[1] == wish.order else Code.KEY_CONFLICT
        above = list(self.naive.above(parent))
        spare = over.cap - over.reserve - self.naive.lent(parent)
        steps = (
            (not over.live, Code.PARENT_NOT_LIVE),
            (any(one.stopping for one in above), Code.SUBTREE_STOPPING),
            (wish.role != "none" and wish.tokens < 12_800, Code.BRIEF_INVALID),
            (wish.role == "none", Code.ROLE_UNKNOWN),
            (over.depth == 0, Code.DEPTH_EXCEEDED),
            (self.outside(over, wish), Code.SCOPE_OUTSIDE_PARENT),
            (
                not wish.allow and self.naive.clash(wish.owns, {one.label for one in above}),
                Code.SCOPE_OVERLAP,
            ),
            (wish.tokens > spare, Code.TREE_BUDGET_EXCEEDED),
            (self.is_full(parent), Code.CONCURRENCY_EXCEEDED),
        )
        return next((code for fails, code in steps if fails), None)

    def outside(self, over: Person, wish: Wish) -> bool:
        """Say whether a pattern lies inside none of the parent's."""
        lies_in = [any(held(mine) <= held(lent) for lent in over.owns) for mine in wish.owns]
        return over.parent is not None and not all(lies_in)

    def is_full(self, parent: str) -> bool:
        """Say whether any cap is reached."""
        limits = self.now.policy.limits
        tree = [one for one in self.naive.below(self.naive.root(parent)) if one.parent is not None]
        everybody = [one for one in self.naive.people.values() if one.parent is not None]
        counts = (
            (self.naive.children(parent), limits.live_per_parent),
            (tree, limits.live_per_tree),
            (everybody, limits.live_total),
        )
        full = any(len([o for o in found if o.live]) >= (most or 0) for found, most in counts)
        return full or len(tree) >= (limits.spawns_per_tree or 0)

    def admit(self, label: str, parent: str, wish: Wish, before: Person | None = None) -> None:
        """Let the model admit a child."""
        depth = min(self.naive.people[parent].depth - 1, DEPTHS[wish.role])
        one = Person(label, parent, wish.role, wish.tokens, depth, wish.owns)
        one.overlap = wish.allow
        if before is not None:
            one.continues, before.heir = before.label, label
            one.generation = before.generation + 1
            self.naive.pass_words(before.label, label)
        self.naive.people[label] = one

    @rule(of=index, by=st.sampled_from(["heir", "operator", "other"]), grant=st.booleans())
    def succeed(self, of: int, by: str, grant: bool) -> None:
        """Continue somebody's work."""
        predecessor, label = self.label(of), self.fresh()
        before = self.naive.people.get(predecessor)
        if by == "heir" and before is not None:
            caller = self.naive.heir_parent(predecessor) or "nobody"
        else:
            caller = moves.PERSON if by == "operator" else self.label(of + 3)
        tokens = Grant(tokens=1_000) if grant else None
        reply = self.play(moves.succeed(label, predecessor, by=caller, grant=tokens))
        self.follow()
        if isinstance(reply, Rejection):
            self.refused(reply, before)
            return
        assert before is not None
        parent = self.naive.heir_parent(predecessor)
        assert parent is not None
        assert not before.live
        assert before.heir is None
        cap = self.now.node(label).token_cap
        self.admit(label, parent, Wish(role=before.role, owns=before.owns, cap=cap), before)
        if grant:
            assert caller == moves.PERSON
            for above in list(self.naive.above(label))[1:]:
                above.cap += 1_000

    def refused(self, reply: Rejection, before: Person | None) -> None:
        """Hold the refusal of a succession against what the model knows."""
        if before is None or before.parent is None:
            assert reply.code is Code.NOT_FOUND
        elif reply.code is Code.PREDECESSOR_LIVE:
            assert before.live
        elif reply.code is Code.ALREADY_SUCCEEDED:
            assert before.heir is not None
            assert reply.sibling == self.now.id(before.heir)
        elif reply.code is Code.GENERATIONS_EXCEEDED:
            assert before.generation == self.now.policy.limits.generations
