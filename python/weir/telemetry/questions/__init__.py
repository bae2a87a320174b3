"""The questions that a store of telemetry reports answers: one per module."""
