//! The usual order of a header's variables.

use crate::program::{Header, Program, VarId};
use crate::storage::VALID;

/// Returns a header's variables in the order in which `Program::add_header` makes them, with their
/// names within the header.
pub(super) fn default_header_vars(program: &Program, header: &Header) -> Vec<(VarId, String)> {
    let layout = &program.header_types[header.ty].fields;
    let fields = header.fields.iter().zip(layout).map(|(var, field)| (*var, field.name.clone()));
    [(header.valid, VALID.to_owned())].into_iter().chain(fields).collect()
}
