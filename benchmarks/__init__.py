"""Benchmarks that anybody can run again; no part of the package."""
