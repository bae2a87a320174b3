"""Switches of the Linux world that are p4lang's ``simple_switch``."""
