"""The daemon that runs coding agents as a tree of child sessions with bounded reports."""

__version__ = "0.1.0"
