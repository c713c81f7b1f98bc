"""What users give, checked and converted: single values, and columns of tables."""
