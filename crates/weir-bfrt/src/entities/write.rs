//! Batches of changes.

use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_p4runtime_proto::bfrt::write_request::Atomicity;
use weir_switch::Switch;

use super::writer::{Outcome, Writer};
use crate::info::DeviceInfo;
use crate::notes::Notes;

/// The outcomes of a batch.
#[derive(Debug, Default)]
pub struct Writes {
    /// The outcome of each update that was tried, in order.
    pub outcomes: Vec<Result<Outcome, Problem>>,
}

impl Writes {
    /// Returns the updates that failed, with their positions.
    pub fn failed(&self) -> Vec<(usize, Problem)> {
        let failed = self.outcomes.iter().enumerate();
        failed.filter_map(|(at, outcome)| Some((at, outcome.as_ref().err()?.clone()))).collect()
    }
}

/// Makes the changes of a request at the time `now`. With `CONTINUE_ON_ERROR`, all updates are
/// tried. Otherwise, the first failure ends the batch, and none of its changes is made: the
/// outcomes of the updates before the failure show only that these updates were valid. Packets see
/// all changes at once. If `ignores_missing`, the removal of a missing entry does not end the
/// batch.
///
/// # Errors
/// The request's atomicity does not exist.
pub fn write(
    info: &DeviceInfo,
    notes: &mut Notes,
    switch: &mut Switch,
    now: Nanos,
    request: &bfrt::WriteRequest,
    ignores_missing: bool,
) -> Result<Writes, Problem> {
    let Ok(atomicity) = Atomicity::try_from(request.atomicity) else {
        return Err(Problem::invalid(format!("{} is not an atomicity", request.atomicity)));
    };
    let is_all_or_none = atomicity != Atomicity::ContinueOnError;
    let before = is_all_or_none.then(|| notes.clone());
    let mut writes = Writes::default();
    let made = switch.control_at(now).transaction(|transaction| {
        for update in &request.updates {
            let outcome = transaction.undo_on_error(|transaction| {
                Writer { info, notes, transaction, now }.update(request.target.as_ref(), update)
            });
            let removes = ignores_missing && update.r#type() == Type::Delete;
            let has_failed =
                outcome.as_ref().is_err_and(|problem| !(removes && problem.code == Code::NotFound));
            writes.outcomes.push(outcome);
            if has_failed && is_all_or_none {
                return Err(());
            }
        }
        Ok(())
    });
    if let (Err(()), Some(before)) = (made, before) {
        *notes = before;
    }
    Ok(writes)
}
