//! weir-switch.
