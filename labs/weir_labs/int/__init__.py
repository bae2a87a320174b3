"""In-band network telemetry v2.1: three modes, reports to a collector."""
