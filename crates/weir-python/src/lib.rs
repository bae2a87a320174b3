//! weir-python.
