"""Evidence: from counted records to estimated class × value tables."""
