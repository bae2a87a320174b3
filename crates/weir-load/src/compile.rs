//! Compiling a program for a switch.

use weir_compiler::{Analysis, CompileResult};
use weir_ir::ValidProgram;
use weir_lint::analyse;
use weir_switch::{LoadError, OwnExterns, arch};
use weir_syntax::preprocess::SourceLoader;
use weir_syntax::{Diagnostics, SourceMap, with_stack};

use crate::refusal::{refusal, warning};

/// The result of compiling a program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program with its blocks bound to its architecture; `None` if `diagnostics` holds an
    /// error.
    pub program: Option<ValidProgram>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// The texts that were read, to render the diagnostics with.
    pub sources: SourceMap,
}

impl Compiled {
    /// Reports everything that keeps a switch from loading the program: `error` and all further
    /// errors.
    pub fn refuse(&mut self, program: &ValidProgram, error: &LoadError, own: &OwnExterns) {
        self.refuse_for(error);
        arch::check_with(program, own).iter().for_each(|error| self.refuse_for(error));
    }

    fn refuse_for(&mut self, error: &LoadError) {
        self.program = None;
        self.diagnostics.push(refusal(error, &self.sources));
    }
}

/// The package whose target a program has as long as its architecture is not known.
const DEFAULT_PACKAGE: &str = "V1Switch";

/// Returns the caller's macros. The macro that names the target of most programs is added, unless
/// the caller names another target.
pub fn with_target(defines: &[(String, String)]) -> Vec<(String, String)> {
    let usual = arch::target_macro(DEFAULT_PACKAGE).filter(|_| !names_target(defines));
    with_macro(defines, usual)
}

fn names_target(defines: &[(String, String)]) -> bool {
    defines.iter().any(|(name, _)| name.starts_with("__TARGET_"))
}

fn with_macro(defines: &[(String, String)], target: Option<&str>) -> Vec<(String, String)> {
    let target = target.map(|name| (name.to_owned(), "1".to_owned()));
    defines.iter().cloned().chain(target).collect()
}

/// Analyses a program with the macro that names the target of its architecture, unless the caller
/// names a target.
///
/// The preprocessor runs before the architecture is known. If the program turns out to be one of an
/// architecture with another target, it is analysed again.
pub(crate) fn analyse_for_target(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
) -> Analysis {
    let analysis = analyse(root, loader, &with_target(defines));
    let package = analysis.program.as_ref().and_then(|program| program.main_package());
    let target = package.and_then(|(package, _)| arch::target_macro(package));
    if names_target(defines) || target.is_none() || target == arch::target_macro(DEFAULT_PACKAGE) {
        return analysis;
    }
    analyse(root, loader, &with_macro(defines, target))
}

/// Compiles a program and binds it to its architecture. `defines` are macros as in `-D NAME=VALUE`,
/// with name and value separate.
pub fn compile(root: &str, loader: &dyn SourceLoader, defines: &[(String, String)]) -> Compiled {
    with_stack(|| ready(analyse_for_target(root, loader, defines).lower_with_main(), arch::bind))
}

/// Returns a program's IR after the named stage of [`arch::STAGES`]. A `main` may be missing before
/// the stage `bind`.
pub fn ir_after(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    stage: &str,
) -> Compiled {
    with_stack(|| {
        ready(analyse_for_target(root, loader, defines).lower(), |program| arch::run_to_stage(program, stage))
    })
}

/// Binds a program from another compiler to its architecture. `texts` are the names and texts of
/// the files that it was compiled from, for messages.
pub fn from_other_compiler(program: ValidProgram, texts: Vec<(String, String)>) -> Compiled {
    let mut source_map = SourceMap::new();
    for (name, text) in texts {
        source_map.add_file(name, text, None);
    }
    let result = CompileResult { program: Some(program), diagnostics: Diagnostics::new(), source_map };
    with_stack(|| ready(result, arch::bind))
}

fn ready(
    result: CompileResult,
    bind: impl FnOnce(ValidProgram) -> Result<ValidProgram, LoadError>,
) -> Compiled {
    let CompileResult { program, diagnostics, source_map: sources } = result;
    let mut compiled = Compiled { program: None, diagnostics, sources };
    match program.map(bind) {
        Some(Ok(program)) => {
            let ignored = arch::warnings(&program);
            compiled.diagnostics.extend(ignored.iter().map(|found| warning(found, &compiled.sources)));
            compiled.program = Some(program);
        }
        Some(Err(error)) => compiled.refuse_for(&error),
        None => {}
    }
    compiled
}
