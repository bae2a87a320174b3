//! Limits the nesting depth of calls, because the steps after the check follow calls recursively.

use weir_syntax::{Diagnostic, Diagnostics};

use crate::hir::walk::{self, Visitor};
use crate::hir::{
    ActionId, Call, Callee, Constructor, ControlId, FunctionId, Local, Name, ParserId, Program, TableId,
};

/// The maximum depth. A block that applies no other block, or a function that calls no other
/// function, has depth 1.
const MAX_DEPTH: u32 = 200;

/// Reports the first declaration that is deeper than `MAX_DEPTH`. Declarations that use it are
/// deeper and are not reported.
pub(super) fn check_call_depth(program: &Program, diagnostics: &mut Diagnostics) {
    let mut depths = Depths {
        program,
        functions: vec![0; program.functions.len()],
        actions: vec![0; program.actions.len()],
        parsers: vec![0; program.parsers.len()],
        controls: vec![0; program.controls.len()],
    };
    if let Some((kind, name)) = depths.measure() {
        diagnostics.push(
            Diagnostic::error("calls-too-deep", format!("{kind} `{}` nests calls too deeply", name.text))
                .primary(name.span, format!("calls may nest at most {MAX_DEPTH} deep")),
        );
    }
}

/// The call depths found so far; 0 for later declarations.
struct Depths<'p> {
    program: &'p Program,
    functions: Vec<u32>,
    actions: Vec<u32>,
    parsers: Vec<u32>,
    controls: Vec<u32>,
}

impl<'p> Depths<'p> {
    /// Measures all declarations in their order, so that the depths of used declarations are known;
    /// returns the first that is too deep.
    fn measure(&mut self) -> Option<(&'static str, &'p Name)> {
        let program = self.program;
        for (id, function) in program.functions.iter() {
            let depth = self.measure_parts(|deepest| walk::block(&function.body, deepest));
            self.functions[id.index()] = depth;
            if depth > MAX_DEPTH {
                return Some(("function", &function.name));
            }
        }
        for (id, action) in program.actions.iter() {
            let depth = self.measure_parts(|deepest| walk::block(&action.body, deepest));
            self.actions[id.index()] = depth;
            if depth > MAX_DEPTH {
                return Some(("action", &action.name));
            }
        }
        for (id, parser) in program.parsers.iter() {
            let depth = self.measure_parts(|deepest| {
                deepest.instances(&parser.locals);
                walk::locals(&parser.locals, deepest);
                parser.states.iter().for_each(|state| walk::state(&program.states[*state], deepest));
            });
            self.parsers[id.index()] = depth;
            if depth > MAX_DEPTH {
                return Some(("parser", &parser.name));
            }
        }
        for (id, control) in program.controls.iter() {
            let depth = self.measure_parts(|deepest| {
                deepest.instances(&control.locals);
                walk::locals(&control.locals, deepest);
                walk::block(&control.body, deepest);
            });
            self.controls[id.index()] = depth;
            if depth > MAX_DEPTH {
                return Some(("control", &control.name));
            }
        }
        None
    }

    /// Measures the call depth of a declaration whose parts `visit` visits.
    fn measure_parts(&self, visit: impl FnOnce(&mut DeepestCall)) -> u32 {
        let mut deepest = DeepestCall { depths: self, depth: 0 };
        visit(&mut deepest);
        deepest.depth + 1
    }
}

/// The call depth of the deepest declaration that code uses.
struct DeepestCall<'a> {
    depths: &'a Depths<'a>,
    depth: u32,
}

impl DeepestCall<'_> {
    /// Counts a call of a function.
    fn function(&mut self, id: FunctionId) {
        self.depth = self.depth.max(self.depths.functions[id.index()]);
    }

    /// Counts a call of an action.
    fn action(&mut self, id: ActionId) {
        self.depth = self.depth.max(self.depths.actions[id.index()]);
    }

    /// Counts a call of a parser.
    fn parser(&mut self, id: ParserId) {
        self.depth = self.depth.max(self.depths.parsers[id.index()]);
    }

    /// Counts a call of a control.
    fn control(&mut self, id: ControlId) {
        self.depth = self.depth.max(self.depths.controls[id.index()]);
    }

    /// Counts the parsers and controls that these locals instantiate.
    fn instances(&mut self, locals: &[Local]) {
        for local in locals {
            if let Local::Instance(instance) = local {
                match self.depths.program.instances[*instance].construct.constructor {
                    Constructor::Parser(id) => self.parser(id),
                    Constructor::Control(id) => self.control(id),
                    Constructor::Extern { .. } | Constructor::Package(_) => {}
                }
            }
        }
    }
}

impl Visitor for DeepestCall<'_> {
    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::Function(id) => self.function(id),
            Callee::Action(id) => self.action(id),
            _ => {}
        }
    }

    fn table(&mut self, table: TableId) {
        for listed in &self.depths.program.tables[table].actions {
            self.action(listed.action);
        }
    }
}
