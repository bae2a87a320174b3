"""BMv2's Thrift services: their description, and what they say of tables and cells of a switch."""
