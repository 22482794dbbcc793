"""What an operator and what a node may be shown of a tree. Pure, and bounded by construction.

The operator is shown everything, in pages. A node is shown its own children, and every answer to
it has a bound in bytes that was fixed before any child of it started (Law: a parent's context grows
with reports, never with transcripts). Sizes are those of the compact JSON, which is never smaller
than the text a model is shown.
"""
