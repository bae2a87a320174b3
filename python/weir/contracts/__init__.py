"""The contracts of all worlds: the calls that simulated and real hosts, links and networks answer."""
