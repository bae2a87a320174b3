"""A lab on load balancing without a controller, in which feedback about long queues moves flows to
other paths."""
