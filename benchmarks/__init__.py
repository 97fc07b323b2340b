"""Measurements of the suite; `benchmarks.speed` sets it beside other packages."""
