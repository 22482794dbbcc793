"""The methods about the daemon itself and its tables as Python calls."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")
Json = dict[str, Any]


class DaemonVerbs(ABC, Generic[Answer]):
    """What a daemon tells of itself, and what it is told to do with itself."""

    @abstractmethod
    def call(self, method: str, params: Json) -> Answer:
        """Call one method by name.

        Args:
            method: name on the wire.
            params: its parameters, camelCase; those that are None are left out.
        """

    def roles(self, workspace: str | None = None) -> Answer:
        """Give the role table, and the roles that a folder (absolute path) brings along."""
        return self.call("roles.list", {"workspace": workspace})

    def accept_role(
        self, workspace: str, name: str, digest: str, *, passphrase: str | None = None
    ) -> Answer:
        """Let a folder's role be used, if its file still has this SHA-256.

        Args:
            workspace: absolute path of the folder.
            name: `project/` and its name.
            digest: as it was listed when its file was read.
            passphrase: the operator's, where one is set.
        """
        params = {"workspace": workspace, "name": name, "digest": digest, "passphrase": passphrase}
        return self.call("subsession.acceptRole", params)

    def agents(self) -> Answer:
        """Give the agent profiles."""
        return self.call("agents.list", {})

    def info(self) -> Answer:
        """Tell name, versions, process and places of the daemon."""
        return self.call("daemon.info", {})

    def caller(self) -> Answer:
        """Tell for whom the daemon takes this process, and why."""
        return self.call("daemon.caller", {})

    def health(self) -> Answer:
        """Tell whether the daemon works, and the number of its last event."""
        return self.call("daemon.health", {})

    def counts(self) -> Answer:
        """Give the daemon's counts."""
        return self.call("daemon.stats", {})

    def shutdown(self) -> Answer:
        """Ask the daemon to end; children end with it."""
        return self.call("daemon.shutdown", {})

    def reload(self) -> Answer:
        """Read the configuration again."""
        return self.call("daemon.reload", {})
