"""The `model` runner: a model is asked step by step, and works with tools of this daemon.

The loop is ours, and so are its steps: between two requests nothing runs, which makes it the place
where what was said to the child reaches it. The language of the endpoint is `pydantic-ai`'s, which
is loaded when the first such child starts, and nowhere else (`provider`).
"""
