"""JSON-RPC between the socket and the engine."""
