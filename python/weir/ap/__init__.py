"""Turns a Linux machine into a Wi-Fi access point: configuration files, checks, and stations.

hostapd runs the radio, Weir's switch forwards frames between the radio and the other interfaces,
dnsmasq serves DHCP and DNS, and systemd starts all three. This package writes their files from one
file of settings, and controls the switch while it runs.
"""
