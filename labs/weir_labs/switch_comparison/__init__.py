"""Software switches between the same two hosts: throughput, processor time, memory, energy."""
