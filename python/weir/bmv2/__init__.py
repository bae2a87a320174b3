"""BMv2's Thrift services: their types, and the calls on tables and cells of a switch."""
