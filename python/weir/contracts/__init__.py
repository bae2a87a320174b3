"""What all worlds do: the calls that simulated and real hosts, links and networks answer."""
