"""BMv2's Thrift services: their description, and their calls on tables and cells of a switch."""
