//! weir-syntax.
