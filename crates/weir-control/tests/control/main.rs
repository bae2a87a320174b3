//! Tests of `weir-control`, in one program: each program costs a second to link.

mod calculations;
mod common;
mod hostile;
mod requests;
mod values;
