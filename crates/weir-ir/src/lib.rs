//! weir-ir.
