//! Parsers, controls, procedures and the package.

use rustc_hash::FxHashSet;

use crate::Expr;
use crate::loc::Loc;
use crate::program::{Keyset, Package, PackageArg, Param, Parser, SelectCase, Transition, VarRole};
use crate::types::Type;

use super::Validator;
use super::stmt::StmtContext;

impl Validator<'_> {
    /// Checks all blocks of code.
    pub(super) fn blocks(&mut self) {
        let body = StmtContext { may_return: true, ..StmtContext::default() };
        for procedure in self.program.procedures.values() {
            self.enter(&procedure.name, procedure.loc);
            self.block(&procedure.body, body);
        }
        self.program.parsers.values().for_each(|parser| self.parser(parser));
        for control in self.program.controls.values() {
            self.enter(&control.name, control.loc);
            self.params(&control.params);
            self.block(&control.body, body);
        }
        if let Some(package) = &self.program.main {
            self.package(package);
        }
    }

    /// Checks the instance of a package.
    fn package(&mut self, package: &Package) {
        self.enter(&package.name, package.loc);
        self.unique(package.args.iter().map(|(name, _)| name.as_str()), "arguments");
        for (_, arg) in &package.args {
            match arg {
                PackageArg::Const(arg) => self.const_arg(arg),
                PackageArg::Package(inner) => self.package(inner),
                PackageArg::Parser(_) | PackageArg::Control(_) => {}
            }
        }
    }

    /// Checks a parser.
    fn parser(&mut self, parser: &Parser) {
        self.enter(&parser.name, parser.loc);
        self.params(&parser.params);
        self.unique(parser.states.values().map(|state| state.name.as_str()), "states");
        self.block(&parser.locals, StmtContext::default());
        for state in parser.states.values() {
            self.enter(&parser.name, state.loc);
            self.block(&state.body, StmtContext::default());
            if let Transition::Select { keys, cases, loc } = &state.transition {
                self.loc = *loc;
                for key in keys {
                    self.expr(key);
                    self.check(!matches!(key.ty, Type::Varbit { .. }), |_| "a select is on a varbit".into());
                }
                cases.iter().for_each(|case| self.select_case(keys, case));
            }
        }
    }

    fn select_case(&mut self, keys: &[Expr], case: &SelectCase) {
        self.loc = case.loc;
        self.check(case.keysets.len() == keys.len(), |_| {
            format!("a case has {} keysets for {} keys", case.keysets.len(), keys.len())
        });
        for (i, (keyset, key)) in case.keysets.iter().zip(keys).enumerate() {
            self.keyset(keyset, key.ty);
            let Keyset::Set(set) = keyset else { continue };
            let set = &self.program.value_sets[*set];
            let widths: Vec<u32> =
                keys[i..].iter().map(|key| key.ty.width()).take(set.fields.len()).collect();
            self.check(set.fields.iter().map(|field| field.width).eq(widths), |_| {
                format!("the value set `{}` does not have the widths of the keys it covers", set.name)
            });
            let covered = case.keysets.iter().skip(i + 1).take(set.fields.len() - 1);
            self.check(covered.clone().all(|keyset| *keyset == Keyset::Any), |_| {
                format!("a key that the value set `{}` covers has a keyset of its own", set.name)
            });
        }
    }

    /// Checks the parameters of a block.
    pub(super) fn params(&mut self, params: &[Param]) {
        let program = self.program;
        self.unique(params.iter().map(|param| param.name.as_str()), "parameters");
        for param in params {
            let storage = &param.storage;
            self.check(storage.paths.len() == storage.vars.len(), |_| {
                format!(
                    "the parameter `{}` has {} variables but {} paths",
                    param.name,
                    storage.vars.len(),
                    storage.paths.len()
                )
            });
            self.unique(
                storage.paths.iter().map(String::as_str),
                &format!("paths of the parameter `{}`", param.name),
            );
            let vars: FxHashSet<_> = storage.vars.iter().copied().collect();
            let headers: FxHashSet<_> = storage.headers.iter().copied().collect();
            let stacks: FxHashSet<_> = storage.stacks.iter().copied().collect();
            let lists_twice = vars.len() < storage.vars.len()
                || headers.len() < storage.headers.len()
                || stacks.len() < storage.stacks.len();
            self.check(!lists_twice, |_| format!("the parameter `{}` lists something twice", param.name));
            for id in &storage.vars {
                let complete = match program.vars[*id].role {
                    VarRole::Plain => true,
                    VarRole::Field(header) | VarRole::Validity(header) => headers.contains(&header),
                    VarRole::NextIndex(stack) => stacks.contains(&stack),
                };
                self.check(complete, |_| {
                    format!(
                        "the parameter `{}` has `{}` without all it belongs to",
                        param.name, program.vars[*id].name
                    )
                });
            }
            for header in storage.headers.iter().map(|id| &program.headers[*id]) {
                let complete = header.fields.iter().chain([&header.valid]).all(|var| vars.contains(var));
                self.check(complete, |_| {
                    format!(
                        "the parameter `{}` has the header `{}` without its variables",
                        param.name, header.name
                    )
                });
            }
            let unions: FxHashSet<_> =
                storage.headers.iter().filter_map(|id| program.headers[*id].union).collect();
            for union in unions {
                let complete = program.unions[union].members.iter().all(|header| headers.contains(header));
                self.check(complete, |_| {
                    format!("the parameter `{}` has a part of a union without the others", param.name)
                });
            }
            for stack in storage.stacks.iter().map(|id| &program.stacks[*id]) {
                let complete = vars.contains(&stack.next_index)
                    && stack.elements.iter().all(|header| headers.contains(header));
                self.check(complete, |_| {
                    format!(
                        "the parameter `{}` has the stack `{}` without its elements",
                        param.name, stack.name
                    )
                });
            }
        }
        self.loc = Loc::NONE;
    }
}
