"""Runners: how children of each kind live. They get processes handed in and know no other adapter.

command       a command line; the runtime reports for it
scripted      a file that is played inside the daemon, for tests, benches and tours
script        how such a file reads                 plain      printed bytes as text
summary       the line in which a tool says how it went
childwords    what an in-process child says, as commands
"""
