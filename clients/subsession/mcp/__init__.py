"""`subsession mcp`: the MCP server that an agent of a person starts, a bridge to the daemon.

words    how it was started                    lines   what comes in, cut into lines
link     one connection to the daemon          asked   what a line asks for, its answer when lost
reach    finds or starts a daemon, opens       bridge  carries both ways, over every restart
run      puts these together

The daemon answers every line and owns all texts but one: what is said when it went away in the
middle of a call. Only the standard library is loaded, of which little: an agent waits for it.
"""
