"""The client of the daemon: a library, a command line and an MCP shim."""
