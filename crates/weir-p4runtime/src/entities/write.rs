//! Batches of changes (specification, "`Write` RPC").

use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_switch::Switch;

use super::writer::Writer;
use crate::outcomes::status_of_parts;
use crate::pipeline::Pipeline;
use crate::proto::v1;
use crate::proto::v1::write_request::Atomicity;

/// Makes the changes of a request at the time `now`. `may_write` returns whether the client's role
/// may change the object with an id. For multicast groups and clone sessions, the id is
/// [`PACKET_REPLICATION`](super::PACKET_REPLICATION).
///
/// Packets see all changes of a batch at once, whatever atomicity the client requests. Changes are
/// made in order, and each one sees the earlier ones.
///
/// # Errors
/// `UNKNOWN` if a change failed. The details have an outcome for each change as far as there is
/// room. With `CONTINUE_ON_ERROR`, all other changes are made. Otherwise, no change is made, and
/// the outcome of the others is `ABORTED`.
pub fn write(
    pipeline: &mut Pipeline,
    switch: &mut Switch,
    now: Nanos,
    request: &v1::WriteRequest,
    may_write: &dyn Fn(u32) -> bool,
) -> Result<(), tonic::Status> {
    let failed = attempt(pipeline, switch, now, request, may_write)?;
    if failed.is_empty() { Ok(()) } else { Err(status_of_parts("update", request.updates.len(), &failed)) }
}

/// Makes the changes like [`write()`], but returns the positions of the failed changes in ascending
/// order, each with its problem.
///
/// # Errors
/// The specification does not define the request's atomicity. No change was tried.
pub(crate) fn attempt(
    pipeline: &mut Pipeline,
    switch: &mut Switch,
    now: Nanos,
    request: &v1::WriteRequest,
    may_write: &dyn Fn(u32) -> bool,
) -> Result<Vec<(usize, Problem)>, Problem> {
    let Ok(atomicity) = Atomicity::try_from(request.atomicity) else {
        return Err(Problem::invalid(format!("{} is not an atomicity", request.atomicity)));
    };
    let Pipeline { layout, translator, notes, senders, lost, .. } = pipeline;
    let drop_port = switch.port_space().drop;
    lost.clear();
    let updates = &request.updates;
    let mut failed: Vec<(usize, Problem)> = Vec::new();
    let (start, all_texts) = (notes.mark(), translator.texts().mark());
    let all = switch.control_at(now).transaction(|transaction| {
        for (index, update) in updates.iter().enumerate() {
            let (mark, texts, known) = (notes.mark(), translator.texts().mark(), lost.len());
            let outcome = transaction.undo_on_error(|transaction| {
                Writer { layout, translator, notes, transaction, may_write, senders, drop_port, lost }
                    .update(update)
            });
            if let Err(problem) = outcome {
                notes.take_back(mark);
                translator.texts().take_back(texts);
                lost.truncate(known);
                failed.push((index, problem));
                if atomicity != Atomicity::ContinueOnError {
                    notes.take_back(start);
                    translator.texts().take_back(all_texts);
                    lost.clear();
                    return Err(());
                }
            }
        }
        Ok(())
    });
    notes.settle();
    translator.texts().settle();
    Ok(if all.is_err() { all_aborted(updates.len(), failed) } else { failed })
}

/// Returns the outcomes of a batch in which one failure has prevented all changes.
fn all_aborted(count: usize, failed: Vec<(usize, Problem)>) -> Vec<(usize, Problem)> {
    let Some((at, problem)) = failed.into_iter().next() else { return Vec::new() };
    let aborted = Problem::new(Code::Aborted, format!("not done, because the update {at} failed"));
    (0..count).map(|index| (index, if index == at { problem.clone() } else { aborted.clone() })).collect()
}
