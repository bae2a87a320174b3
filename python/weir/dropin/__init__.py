"""Programs that replace BMv2's and p4c's programs, so that scripts for those run unchanged.

``weir shims install`` installs these stand-ins in a folder for the PATH.
"""
