"""Stand-ins for BMv2's and p4c's programs, so that scripts for them run unchanged.

``weir shims install`` puts them on the path.
"""
