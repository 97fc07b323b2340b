"""A cost-to-go that is a sum of look-up tables, and the trained tables that come with the suite."""
