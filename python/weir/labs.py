"""The former module of the labs. Importing it raises an error that says where the labs are now."""

raise ImportError(
    "weir.labs is now two modules: weir.lab has the building blocks of labs, such as "
    "weir.lab.Findings, and weir_labs has Weir's labs, such as weir_labs.delay (pip install "
    "'p4weir[lab]')"
)
