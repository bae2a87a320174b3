//! Transactions: several changes that packets see at once, and parts of a transaction that can be
//! undone.

use weir_ir::{Bits, ExternId};

use super::scratch::Scratch;
use super::undo::Undo;
use super::{Control, ControlError, CounterValue, Update};

/// Changes in progress, see [`Control::transaction`].
pub struct Transaction<'t, 'a> {
    control: &'t mut Control<'a>,
    scratch: Scratch,
    /// The operations that undo the changes, in the order of the changes.
    done: Vec<Undo>,
    /// The number of changes before the current part.
    part: usize,
}

impl<'a> Control<'a> {
    /// Makes changes that become visible to packets together, at the end. If `changes` fails, none
    /// of the changes is made. [`Transaction::undo_on_error`] does the same for some of the
    /// changes.
    pub fn transaction<T, E>(
        &mut self,
        changes: impl FnOnce(&mut Transaction<'_, 'a>) -> Result<T, E>,
    ) -> Result<T, E> {
        let scratch = std::mem::take(self.scratch);
        let mut transaction = Transaction { control: self, scratch, done: Vec::new(), part: 0 };
        let outcome = transaction.undo_on_error(changes);
        *self.scratch = transaction.scratch;
        if outcome.is_ok() {
            self.publish();
        }
        outcome
    }
}

impl<'a> Transaction<'_, 'a> {
    /// Applies one update. Returns the handle of the inserted entry, or the number of the inserted
    /// member or group, if there is one. A wrong update changes nothing.
    pub fn write(&mut self, update: &Update) -> Result<Option<u64>, ControlError> {
        let undo = self.control.apply(update, &mut self.scratch)?;
        let inserted = undo.inserted();
        match (self.done[self.part..].last_mut(), undo) {
            (Some(Undo::Remove(of, before)), Undo::Remove(table, entries))
                if *of == table && before.end == entries.start =>
            {
                before.end = entries.end;
            }
            (_, undo) => self.done.push(undo),
        }
        Ok(inserted)
    }

    /// Sets all cells of a counter.
    pub fn fill_counter(&mut self, counter: ExternId, value: CounterValue) -> Result<(), ControlError> {
        self.done.push(self.control.fill_counter(counter, value)?);
        Ok(())
    }

    /// Sets all cells of a register.
    pub fn fill_register(&mut self, register: ExternId, value: &Bits) -> Result<(), ControlError> {
        self.done.push(self.control.fill_register(register, value)?);
        Ok(())
    }

    /// Makes changes. If `changes` fails, none of them is made; earlier changes stay, and others
    /// may follow.
    pub fn undo_on_error<T, E>(&mut self, changes: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let outer = std::mem::replace(&mut self.part, self.done.len());
        let outcome = changes(self);
        if outcome.is_err() {
            for undo in self.done.drain(self.part..).rev() {
                self.control.take_back(undo);
            }
        }
        self.part = outer;
        outcome
    }

    /// Returns the control interface, with the changes so far.
    pub fn control(&self) -> &Control<'a> {
        self.control
    }
}
