"""What a store of telemetry reports answers: a question a module."""
