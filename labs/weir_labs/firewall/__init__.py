"""A lab on a firewall in switches, with port-MAC binding, authenticated hosts, rules, and attacks
on them."""
