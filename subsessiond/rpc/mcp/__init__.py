"""The Model Context Protocol, served to the agents of nodes: our methods, as tools of a model.

A tool is another way to call a method of `rpc.methods`: the same function, guard, bounds and
refusals. What differs is how it is said: parameters are flat, answers are text, and a refusal is a
result that says what to change. All texts are in `core.words`.
"""
