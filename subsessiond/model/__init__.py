"""The vocabulary: frozen values, and what each word means.

Node
    One session in the tree: a root or a child. Its id is made by the daemon alone.
Root
    A node that stands for a person's own agent or script, which lives outside the daemon.
Parent, child, ancestor, descendant
    Who spawned whom. A child's parent never changes.
Role, tier, agent
    A spawn names a role; the role's tier names the agent profile that runs it.
Brief
    The validated order that a child starts with.
Report
    What a child says upward: `progress` (a sign of life), `finding` (a partial result that
    matters now) or `final` (settles the child for good).
Checkpoint
    A record in the child's journal from which another child can go on.
Claim
    The files a child owns, from admission to release; the claim stamp is when it was admitted.
Settle, release
    Reach the one terminal state; have no process left.
Succession
    A fresh child that continues a settled predecessor, with a handover letter.
Operator
    The person. Derived from the operating system, never claimed.
Territory
    The processes that belong to a node.
Command, event, effect
    A request that may be refused; a fact that is durable; a request to the outside world.
Rejection, fault
    A refusal, which is a value; a failure of the world, which is an exception.

This package imports nothing of the project and nothing that could act.
"""
