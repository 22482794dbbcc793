"""The single writer of the tree, and what runs around it."""
