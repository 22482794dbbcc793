"""Pure decisions, one verb a file."""
