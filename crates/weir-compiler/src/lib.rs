//! weir-compiler.
