"""The methods of the contract as Python calls, once for the sync and the async client."""

from subsession.daemonverbs import Answer, DaemonVerbs, Json

__all__ = ["Answer", "Json", "Verbs"]


class Verbs(DaemonVerbs[Answer]):
    """Every method of the daemon. An argument that is None is not sent.

    Each verb gives the result object of the wire as a dictionary with camelCase keys (the async
    client: an awaitable of it), and raises what `call` raises.
    """

    def open(
        self,
        workspace: str,
        *,
        title: str | None = None,
        token_cap: int | None = None,
        resume: str | None = None,
        resume_detached: bool | None = None,
    ) -> Answer:
        """Open a root on a folder (absolute path), or resume the one named by `resume`.

        With `resume_detached` an MCP bridge resumes what another one left behind on the folder.
        """
        params = {
            "workspace": workspace,
            "title": title,
            "tokenCap": token_cap,
            "resume": resume,
            "resumeDetached": resume_detached,
        }
        return self.call("subsession.open", params)

    def spawn(  # noqa: PLR0913 -- as many as the method has
        self,
        role: str,
        brief: Json,
        *,
        parent_id: str | None = None,
        allow_overlap: bool | None = None,
        idempotency_key: str | None = None,
        wait_ms: int | None = None,
        check_only: bool | None = None,
        argv: list[str] | None = None,
    ) -> Answer:
        """Spawn a child; answers at admission, or with `wait_ms` when it runs.

        Args:
            role: a role of the operator's table.
            brief: the brief as it goes over the wire; only `mission` is required.
            parent_id: the parent; operator only, a node's is derived.
            allow_overlap: accept that another node owns some of the same files.
            idempotency_key: the same key and brief give the same node.
            wait_ms: how long to wait for the start, at most 50,000 ms.
            check_only: run every check and start nothing.
            argv: the command of a `command` child; operator only.
        """
        params = {
            "parentId": parent_id,
            "role": role,
            "brief": brief,
            "allowOverlap": allow_overlap,
            "idempotencyKey": idempotency_key,
            "waitMs": wait_ms,
            "checkOnly": check_only,
            "argv": argv,
        }
        return self.call("subsession.spawn", params)

    def plan(  # noqa: PLR0913 -- as many as the method has
        self,
        plan: Json,
        *,
        parent_id: str | None = None,
        role: str | None = None,
        title: str | None = None,
        token_cap: int | None = None,
        max_report_tokens: int | None = None,
        idempotency_key: str | None = None,
        wait_ms: int | None = None,
        check_only: bool | None = None,
    ) -> Answer:
        """Start a graph of briefs as one child, which reports once for all of them."""
        params: Json = {"plan": plan, "parentId": parent_id, "role": role, "title": title}
        params |= {"tokenCap": token_cap, "maxReportTokens": max_report_tokens}
        more = {"idempotencyKey": idempotency_key, "waitMs": wait_ms, "checkOnly": check_only}
        return self.call("subsession.plan", {**params, **more})

    def report(  # noqa: PLR0913 -- as many as the method has
        self,
        output: str,
        *,
        stage: str | None = None,
        outcome: str | None = None,
        sections: dict[str, str] | None = None,
        structured: object = None,
        blockers: list[str] | None = None,
        open_questions: list[str] | None = None,
        files: list[str] | None = None,
        end_children: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Report to the parent of the calling node."""
        params = {
            "output": output,
            "stage": stage,
            "outcome": outcome,
            "sections": sections,
            "structured": structured,
            "blockers": blockers,
            "openQuestions": open_questions,
            "files": files,
            "endChildren": end_children,
            "idempotencyKey": idempotency_key,
        }
        return self.call("subsession.report", params)

    def checkpoint(
        self,
        phase: str,
        state: str,
        next_step: str,
        *,
        decisions: list[str] | None = None,
        files: list[str] | None = None,
    ) -> Answer:
        """Write down where the calling node stands."""
        params = {
            "phase": phase,
            "state": state,
            "nextStep": next_step,
            "decisions": decisions,
            "files": files,
        }
        return self.call("subsession.checkpoint", params)

    def receipt(self, message_id: str) -> Answer:
        """Tell how far a message has come."""
        return self.call("subsession.receipt", {"messageId": message_id})

    def succeed(
        self,
        child_id: str,
        *,
        role: str | None = None,
        mission: str | None = None,
        token_cap: int | None = None,
        idempotency_key: str | None = None,
        wait_ms: int | None = None,
    ) -> Answer:
        """Hire a fresh child that continues a settled one."""
        params = {
            "childId": child_id,
            "role": role,
            "mission": mission,
            "tokenCap": token_cap,
            "idempotencyKey": idempotency_key,
            "waitMs": wait_ms,
        }
        return self.call("subsession.succeed", params)

    def tree(
        self,
        *,
        root_id: str | None = None,
        since_seq: int | None = None,
        after: str | None = None,
        limit: int | None = None,
        wait_ms: int | None = None,
    ) -> Answer:
        """Give the rows of the tree, or those that changed after `since_seq`."""
        params = {
            "rootId": root_id,
            "sinceSeq": since_seq,
            "after": after,
            "limit": limit,
            "waitMs": wait_ms,
        }
        return self.call("subsession.tree", params)

    def node(self, node_id: str) -> Answer:
        """Give all that the caller may see of a node."""
        return self.call("subsession.node", {"nodeId": node_id})

    def inbox(
        self,
        *,
        node_id: str | None = None,
        acknowledge: list[str] | bool | None = None,
        wait_ms: int | None = None,
        max_tokens: int | None = None,
    ) -> Answer:
        """Give the mail a parent has not acknowledged; an operator names the node and only looks.

        Args:
            node_id: whose mail; operator only.
            acknowledge: messages that were read, or True for all that were delivered.
            wait_ms: how long to wait for mail, at most 50,000 ms.
            max_tokens: how much to give at most, in estimated tokens.
        """
        params = {
            "nodeId": node_id,
            "acknowledge": acknowledge,
            "waitMs": wait_ms,
            "maxTokens": max_tokens,
        }
        return self.call("subsession.inbox", params)

    def attach(self, node_id: str | None = None, **how: bool) -> Answer:
        """Make this process the child that waits for it, or the one that it calls as.

        Args:
            node_id: the child.
            how: `above` takes the agent that started this process, past shells; `checkOnly` runs
                every check, attaches nothing, and shows the brief.
        """
        return self.call("subsession.attach", {"nodeId": node_id, **how})

    def steer(self, node_id: str, text: str) -> Answer:
        """Say something to a live child."""
        return self.call("subsession.steer", {"nodeId": node_id, "text": text})

    def cancel(self, node_id: str, *, wait_ms: int | None = None) -> Answer:
        """Stop a node and everything below it."""
        return self.call("subsession.cancel", {"nodeId": node_id, "waitMs": wait_ms})

    def close_root(self, node_id: str) -> Answer:
        """End a root and everything below it."""
        return self.call("subsession.close", {"nodeId": node_id})

    def blocked(self) -> Answer:
        """Give the queue of what waits for the person."""
        return self.call("subsession.blocked", {})

    def handover(
        self,
        node_id: str,
        action: str,
        *,
        grants: Json | None = None,
        answer: str | None = None,
        passphrase: str | None = None,
    ) -> Answer:
        """Read the letter of a settled node, or go on with a successor.

        Args:
            node_id: the predecessor.
            action: `letter`, `as-is`, `answer` or `grant`.
            grants: `globs`, `tools` and `tokens` that the successor gets beyond its parent's.
            answer: the operator's words to the successor, at most 2 KiB.
            passphrase: the operator's, where one is set and a successor is started.
        """
        params = {
            "nodeId": node_id,
            "action": action,
            "grants": grants,
            "answer": answer,
            "passphrase": passphrase,
        }
        return self.call("subsession.handover", params)

    def dismiss(self, node_id: str) -> Answer:
        """Take a node out of the blocked queue."""
        return self.call("subsession.dismiss", {"nodeId": node_id})

    def release(self, node_id: str, *, passphrase: str | None = None) -> Answer:
        """Free the claim of a node whose processes cannot be proven gone.

        Args:
            node_id: the node.
            passphrase: the operator's, where one is set.
        """
        return self.call("subsession.release", {"nodeId": node_id, "passphrase": passphrase})

    def transcript(self, node_id: str, *, after: int | None = None) -> Answer:
        """Read a page of a child's transcript: after a number, or the newest; operator only."""
        return self.call("subsession.transcript", {"nodeId": node_id, "after": after})

    def journal(
        self, node_id: str, *, first: int | None = None, limit: int | None = None
    ) -> Answer:
        """Read a node's journal from record `first` (from 1)."""
        params = {"nodeId": node_id, "first": first, "limit": limit}
        return self.call("subsession.journal", params)

    def stats(
        self, node_id: str | None = None, *, after: str | None = None, limit: int | None = None
    ) -> Answer:
        """Read a page of the context ledger, of one node and all below it or of everything."""
        params = {"nodeId": node_id, "after": after, "limit": limit}
        return self.call("subsession.stats", params)
