"""The queries of a store of telemetry reports, each in its own module."""
