"""Runners: how children of each kind live. They get processes handed in and know no other adapter.

command       a command line; the runtime reports for it
"""
