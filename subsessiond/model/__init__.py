"""The vocabulary: frozen values."""
