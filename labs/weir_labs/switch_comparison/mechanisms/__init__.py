"""In-memory benchmarks of mechanisms of software switches: threads, locks, pools."""
