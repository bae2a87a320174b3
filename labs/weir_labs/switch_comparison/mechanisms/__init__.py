"""What makes a software switch fast, as benchmarks in memory: threads, locks, pools."""
