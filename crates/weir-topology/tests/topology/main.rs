//! Tests of `weir-topology`, in one program: each program costs a second to link.

mod common;
mod full;
mod hostile;
mod index;
mod mistakes;
mod network_rules;
mod p4app;
mod read;
mod several;
mod show;
