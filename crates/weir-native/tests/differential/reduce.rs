//! Finds smaller programs that still show a problem.

use weir_exec::Pipeline;
use weir_ir::passes::bind;
use weir_ir::visit::mutable::{self, VisitorMut};
use weir_ir::visit::{self, Visitor};
use weir_ir::{Block, Program, StmtKind, ValidProgram, validate};

/// Leaves statements out, one after the other, as long as the problem stays.
pub fn program(program: ValidProgram, still: &mut dyn FnMut(&ValidProgram) -> bool) -> ValidProgram {
    let mut position = count(&program);
    let mut program = program;
    while position > 0 {
        position -= 1;
        for keep_branch in [None, Some(0), Some(1)] {
            let mut smaller = Program::clone(&program);
            let mut cut = Cut { skip: position, keep_branch, done: false };
            mutable::walk_program(&mut cut, &mut smaller);
            if !cut.done {
                continue;
            }
            if let Some(smaller) = validate(smaller).ok().filter(|smaller| still(smaller)) {
                program = smaller;
                break;
            }
        }
    }
    // Without groups, binding drops the unused parts.
    let swept = bind(program.clone(), &[]).expect("there is nothing to bind");
    // Binding renumbers variables, so that the pipeline would no longer fit.
    if swept.vars.len() == program.vars.len() && still(&swept) { swept } else { program }
}

/// Leaves out stages and semantics.
pub fn pipeline(mut pipeline: Pipeline, still: &mut dyn FnMut(&Pipeline) -> bool) -> Pipeline {
    for position in (0..pipeline.stages().len()).rev() {
        let mut smaller = pipeline.spec().clone();
        smaller.stages.remove(position);
        let smaller = Pipeline::new(pipeline.program(), smaller).ok();
        if let Some(smaller) = smaller.filter(|smaller| still(smaller)) {
            pipeline = smaller;
        }
    }
    for position in (0..pipeline.spec().extern_semantics.len()).rev() {
        let mut smaller = pipeline.spec().clone();
        smaller.extern_semantics.remove(position);
        let smaller = Pipeline::new(pipeline.program(), smaller).ok();
        if let Some(smaller) = smaller.filter(|smaller| still(smaller)) {
            pipeline = smaller;
        }
    }
    pipeline
}

fn count(program: &Program) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        fn block(&mut self, block: &Block) {
            self.0 += block.0.len();
            visit::walk_block(self, block);
        }
    }
    let mut count = Count(0);
    visit::walk_program(&mut count, program);
    count.0
}

/// Removes the statement with this number, or replaces it by one of its branches.
struct Cut {
    skip: usize,
    keep_branch: Option<usize>,
    done: bool,
}

impl VisitorMut for Cut {
    fn block(&mut self, block: &mut Block) {
        if self.done {
            return;
        }
        if self.skip >= block.0.len() {
            self.skip -= block.0.len();
            return mutable::walk_block(self, block);
        }
        let stmt = block.0.remove(self.skip);
        self.done = true;
        let Some(branch) = self.keep_branch else { return };
        let inner = match (stmt.kind, branch) {
            (StmtKind::If { then, .. }, 0) => then,
            (StmtKind::If { otherwise, .. }, 1) => otherwise,
            (StmtKind::Loop { body, .. }, 0) => body,
            (StmtKind::Switch { default, .. }, 0) => default,
            _ => {
                self.done = false;
                // This statement is done; the rest of the walk sees only later statements.
                self.skip = usize::MAX;
                return;
            }
        };
        block.0.splice(self.skip..self.skip, inner.0);
    }
}
