"""Measuring and reporting: records of what was measured, and every table and plot of the documents made from them.

A module per algorithm says which runs are asked which questions, and what comes out of the answers; STUDIES lists them.
"""
