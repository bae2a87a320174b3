//! Compiles a program: from the name of its root file to the IR.

use weir_ir as ir;
use weir_syntax::preprocess::SourceLoader;
use weir_syntax::{Diagnostic, Diagnostics, SourceMap};

use crate::hir;

/// The result of compiling a program.
#[derive(Clone, Debug)]
pub struct CompileResult {
    /// The program; `None` if `diagnostics` holds an error.
    pub program: Option<ir::ValidProgram>,
    /// The errors and warnings of the compilation.
    pub diagnostics: Diagnostics,
    /// The texts that were read, to render the diagnostics with.
    pub source_map: SourceMap,
}

/// Compiles the file `root` and the files that it includes, which `loader` loads, into a program
/// that can run. Such a program has a `main`.
///
/// `defines` are macros, each a name and its value, as in `-D NAME=VALUE`. Declarations that can be
/// parsed are checked even if others have syntax errors. Only a program without errors is lowered.
///
/// `weir_lint::analyse` also warns about code that is probably a mistake.
pub fn compile(root: &str, loader: &dyn SourceLoader, defines: &[(String, String)]) -> CompileResult {
    analyse(root, loader, defines).lower_with_main()
}

/// The result of checking a program.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The typed tree; `None` if `diagnostics` holds an error.
    pub program: Option<hir::Program>,
    /// The errors and warnings of the check.
    pub diagnostics: Diagnostics,
    /// The texts that were read, to render the diagnostics with.
    pub source_map: SourceMap,
}

impl Analysis {
    /// Runs the second half of [`compile`]. Only the blocks, tables and actions that `main` uses
    /// become IR. Without a `main`, the IR is nearly empty.
    pub fn lower(self) -> CompileResult {
        let Self { program, mut diagnostics, source_map } = self;
        let program = program.and_then(|checked| crate::lower(&checked, &source_map, &mut diagnostics));
        CompileResult { program, diagnostics, source_map }
    }

    /// Lowers the program like [`Analysis::lower`]. Adds an error if the program has no `main`.
    pub fn lower_with_main(self) -> CompileResult {
        let package = self.program.as_ref().and_then(hir::Program::outermost_package);
        let example = format!(
            "instantiate the package of the architecture as `main`, as in `{}(…) main;`",
            package.unwrap_or("PACKAGE")
        );
        let mut result = self.lower();
        if result.program.as_ref().is_some_and(|program| program.main.is_none()) {
            result.program = None;
            let missing = Diagnostic::error("no-main", "the program has no `main`")
                .primary(result.source_map.end_of_program(), "expected a package instance named `main`");
            result.diagnostics.push(missing.note(example));
        }
        result
    }
}

/// Runs the first half of [`compile`]: parses and checks the program. The warnings are those of the
/// checker, including those that `@noWarn` silences.
pub fn analyse(root: &str, loader: &dyn SourceLoader, defines: &[(String, String)]) -> Analysis {
    let mut diagnostics = Diagnostics::new();
    let mut source_map = SourceMap::new();
    let ast = weir_syntax::parse(root, loader, defines, &mut source_map, &mut diagnostics);
    // If an included file is missing, most further errors would be about names that it declares.
    let incomplete = diagnostics.iter().any(|diagnostic| diagnostic.id.starts_with("preprocess-include"));
    let mistaken = diagnostics.has_errors();
    let checked = if incomplete { None } else { crate::check(&ast, Some(loader), &mut diagnostics) };
    Analysis { program: checked.filter(|_| !mistaken), diagnostics, source_map }
}
