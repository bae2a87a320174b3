"""Benchmarks in memory of mechanisms that make a software switch fast: threads, locks, pools."""
