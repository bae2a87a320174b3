"""INT reports to the sender: what in-band telemetry costs, and what it tells."""
