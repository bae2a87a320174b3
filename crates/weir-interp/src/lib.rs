//! weir-interp.
