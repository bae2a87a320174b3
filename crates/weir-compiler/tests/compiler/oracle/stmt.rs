//! Runs statements.

use weir_compiler::hir::{self, Stmt, StmtKind, VarId};
use weir_ir::Bits;

use super::{Oracle, Run, Stop, Value, as_bool, bits};

impl Oracle<'_> {
    pub fn declare(&mut self, var: VarId, init: Option<&hir::Expr>) -> Run<()> {
        let value = match init {
            Some(init) => self.eval(init)?,
            None => self.default(self.hir.vars[var].ty),
        };
        self.vars.insert(var, value);
        Ok(())
    }

    pub fn block(&mut self, block: &hir::Block) -> Run<()> {
        self.stmts(&block.stmts)
    }

    pub fn stmts(&mut self, stmts: &[Stmt]) -> Run<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Run<()> {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { target, value } => {
                let place = self.place(target)?;
                let value = self.eval(value)?;
                self.write(&place, value);
                Ok(())
            }
            StmtKind::Call(call) => self.call(call).map(|_| ()),
            StmtKind::ApplyTable(table) => self.apply_table(*table).map(|_| ()),
            StmtKind::If { links, otherwise } => {
                for link in links {
                    if as_bool(&self.eval(&link.condition)?) {
                        return self.block(&link.then);
                    }
                }
                otherwise.as_ref().map_or(Ok(()), |block| self.block(block))
            }
            StmtKind::SwitchAction { table, cases, default } => {
                let (_, ran) = self.apply_table(*table)?;
                let case = cases.iter().find(|case| case.actions.contains(&ran)).map(|case| &case.body);
                case.or(default.as_ref()).map_or(Ok(()), |block| self.block(block))
            }
            StmtKind::SwitchValue { subject, cases, default } => {
                let subject = self.eval(subject)?;
                let mut taken = default.as_ref();
                'cases: for case in cases {
                    for value in &case.values {
                        if self.eval(value)?.equals(&subject) {
                            taken = Some(&case.body);
                            break 'cases;
                        }
                    }
                }
                taken.map_or(Ok(()), |block| self.block(block))
            }
            StmtKind::For { init, condition, update, body } => {
                self.stmts(init)?;
                while as_bool(&self.eval(condition)?) {
                    if !self.run_iteration(body)? {
                        break;
                    }
                    self.stmts(update)?;
                }
                Ok(())
            }
            StmtKind::ForRange { var, low, high, body } => {
                let (low, high) = (self.eval(low)?, self.eval(high)?);
                let Value::Bits(mut at, signed) = low else { panic!("a range of {low:?}") };
                let high = bits(&high).clone();
                while at.compare(&high, signed).is_le() {
                    self.vars.insert(*var, Value::Bits(at.clone(), signed));
                    if !self.run_iteration(body)? || at == high {
                        break;
                    }
                    at = at.add(&Bits::new(at.width(), 1));
                }
                Ok(())
            }
            StmtKind::ForEach { var, collection, body } => {
                for element in self.eval(collection)?.members() {
                    self.vars.insert(*var, element.clone());
                    if !self.run_iteration(body)? {
                        break;
                    }
                }
                Ok(())
            }
            StmtKind::Break => Err(Stop::Break),
            StmtKind::Continue => Err(Stop::Continue),
            StmtKind::Return(None) => Err(Stop::Return(Value::Nothing)),
            StmtKind::Return(Some(value)) => {
                let value = self.eval(value)?;
                Err(Stop::Return(value))
            }
            StmtKind::Exit => Err(Stop::Exit),
            StmtKind::Block(block) => self.block(block),
        }
    }

    /// Runs one iteration of a loop; returns false if the iteration leaves the loop.
    fn run_iteration(&mut self, body: &hir::Block) -> Run<bool> {
        match self.block(body) {
            Ok(()) | Err(Stop::Continue) => Ok(true),
            Err(Stop::Break) => Ok(false),
            Err(stop) => Err(stop),
        }
    }
}
