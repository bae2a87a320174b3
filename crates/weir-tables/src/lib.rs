//! weir-tables.
