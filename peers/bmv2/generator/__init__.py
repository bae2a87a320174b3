"""Random v1model programs with entries and packets, the same for the same seed.

Programs avoid what the specification leaves open: they read headers only where they are valid,
write all fields of headers that become valid, and keep indexes within their objects.
"""
