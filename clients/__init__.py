"""Programs as users of other people's libraries write them, and a bench that runs them: `python -m clients`."""
