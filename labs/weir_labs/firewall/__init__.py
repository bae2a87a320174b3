"""A firewall in the switches: port-MAC binding, verified hosts, rules, and attacks on all of it."""
