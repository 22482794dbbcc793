"""The `jsonl` runner: any headless program that prints JSON lines, as its profile describes it.

`paths` looks into one line, `reading` says by an event map what the line says, `course` remembers
what a run has come to, `child` lives one run after another, `talk` holds what is said between them,
`telling` tells how they end, `runner` makes children.
"""
