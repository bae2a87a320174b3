"""Load balancing: feedback about long queues moves flows to other paths, without a controller."""
