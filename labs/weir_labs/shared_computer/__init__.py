"""Switches and hosts that share one computer: a fit, and a prediction."""
