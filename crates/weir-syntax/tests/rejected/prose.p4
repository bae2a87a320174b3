not P4 at all
