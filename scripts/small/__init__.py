"""What scripts/small-model runs."""
