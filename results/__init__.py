"""Measuring and reporting: every table and plot comes from here."""
