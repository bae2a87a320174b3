//! The interface between machine code and Rust: registers in memory, status codes, and the passing
//! of values.

mod registers;
mod row;
mod site;
pub(crate) mod status;

pub(crate) use registers::Registers;
pub(crate) use row::{data_words, row_words};
pub(crate) use site::{CallSites, ExternSite, TableSite, ValueForm, ValueSetSite, value_form};
