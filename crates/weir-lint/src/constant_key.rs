//! Keys of tables that are the same for every packet.

use weir_syntax::{Diagnostic, Diagnostics};

use crate::check::constant::evaluate;
use crate::hir::Program;

/// Reports keys that are the same for every packet. Tables with a single key that is not `exact`
/// are not reported, because controllers enable such a table by adding an entry.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, table) in program.tables.iter() {
        if let [key] = table.keys.as_slice()
            && program.match_kinds[key.match_kind].0.name.text != "exact"
        {
            continue;
        }
        for key in table.keys.iter().filter(|key| evaluate(program, &key.expr).is_some()) {
            let message = format!("a key of table `{}` is constant", table.name.text);
            let diagnostic = Diagnostic::warning("constant-key", message)
                .primary(key.expr.span, "the same for every packet")
                .note("use a field or a variable as the key, or remove the key");
            diagnostics.push(diagnostic);
        }
    }
}
