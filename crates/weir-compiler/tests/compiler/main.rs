//! Tests of `weir-compiler`, in one program: each program costs a second to link.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and BLESS")]

mod architectures;
mod check;
mod execute;
mod extremes;
mod generate;
mod large_programs;
mod lowered;
mod meaning;
mod mutate;
mod oracle;
mod pipe;
mod random_programs;
mod valid_ir;
mod widths;
