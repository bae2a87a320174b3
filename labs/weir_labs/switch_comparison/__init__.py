"""A lab that compares software switches between the same two hosts: throughput, processor time,
memory, energy."""
