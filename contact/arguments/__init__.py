"""Arguments of users, checked and converted: single values, and columns of tables."""
