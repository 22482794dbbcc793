"""Parameters about roles, those of the table and those of a workspace."""

from typing import Annotated

from pydantic import Field

from subsessiond.wire.params import Params
from subsessiond.wire.text import Maybe, Path, RoleName, Secret


class RolesParams(Params):
    """Whose roles."""

    workspace: Maybe[Path] = None
    """The operator names a folder whose own roles are listed, too; default: those of live roots.
    A node's own is derived."""


class AcceptRoleParams(Params):
    """A role of a workspace that may be used from now on."""

    workspace: Path
    """The folder it belongs to, absolute."""
    name: RoleName
    """As it is listed: `project/` and its name."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of the file as it was read before it was accepted; any other is refused."""
    passphrase: Annotated[Maybe[Secret], Field(repr=False)] = None
    """The operator's, where one is set; never kept."""
