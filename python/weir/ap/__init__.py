"""A Wi-Fi access point from a Linux machine: its files, what it lacks, and its stations.

hostapd runs the radio, Weir's switch moves the frames between the radio and the rest, dnsmasq
serves addresses and names, and systemd runs all of them. This package writes their files from one
file of settings, and controls the switch while it runs.
"""
