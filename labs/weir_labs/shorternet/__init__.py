"""Shorternet: a 4-byte header in place of Ethernet and IPv4, and gateways between the two."""
