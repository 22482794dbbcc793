"""The outside world behind the ports; its parts are strangers to each other."""
