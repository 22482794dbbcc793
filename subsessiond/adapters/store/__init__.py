"""The registry on disk: SQLite, one connection in one thread.

What is where, in the state directory:

`registry.sqlite`
    Events, the newest snapshot of each node, unread mail, keys, and the journal lines that are not
    yet safe in their files.
`registry.left.json`
    What the last daemon left there, so that a store put back from elsewhere is noticed.
`registry.renew`
    Stands when the store must be copied into a fresh file, or looked at closely, before it is used.
`workspaces.json`
    Every workspace there ever was, so that journals are found without the store.
`ballast`
    Bytes that are given up so that finals still fit on a full disk.
`backups/`, `registry.aside-<n>*`
    Copies, three kept; stores that could not be used, never removed.

This package knows no journal: nodes that journals remember are given to it.
"""

from subsessiond.adapters.store.sqlite import SqliteStore

__all__ = ["SqliteStore"]
