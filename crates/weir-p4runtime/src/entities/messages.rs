//! Converts messages of a switch to messages for controllers: digests, and notices of idle entries.

use weir_switch::control::{Digest, IdleNotice};

use super::matches::write_matches;
use crate::pipeline::Pipeline;
use crate::proto::v1;

/// Returns the id of a digest in the P4Info, and its data. Returns `None` if the P4Info does not
/// list the digest.
pub fn digest(pipeline: &Pipeline, message: &Digest) -> Option<(u32, v1::P4Data)> {
    let Pipeline { layout, translator, .. } = pipeline;
    let whole =
        |digest: &crate::pipeline::Digest| digest.data.with_validity(&message.values, &message.present);
    let candidates = layout.digests.iter().filter(|digest| digest.data.fits(&whole(digest)));
    // Several digests may have the same types of members. Then the digest with the same name as in
    // the program is chosen. If there is none, the digest whose members have the names of the sent
    // values is chosen.
    let names = |digest: &&crate::pipeline::Digest| {
        let last = |name: &String| name.rsplit('.').next().unwrap_or(name).to_owned();
        let sent = message.names.iter().map(last);
        digest.names.iter().zip(sent).filter(|(name, sent)| *name == sent).count()
    };
    let candidates = candidates.rev().max_by_key(|digest| (*digest.name == *message.name, names(digest)))?;
    Some((candidates.id, candidates.data.write(translator, &mut whole(candidates).iter())))
}

/// Returns the key of the idle entry in a notice, and the metadata that a controller wrote. Returns
/// `None` if the P4Info does not list the entry's table.
pub fn idle_entry(pipeline: &Pipeline, notice: &IdleNotice) -> Option<v1::TableEntry> {
    let Pipeline { layout, translator, notes, .. } = pipeline;
    let table = &layout.tables[*layout.of_table.get(&notice.table)?];
    let note = notes.entries.get((notice.table, Some(notice.handle)));
    let timeout = notice.entry.idle_timeout.unwrap_or(0);
    #[expect(deprecated, reason = "older controllers read it")]
    Some(v1::TableEntry {
        table_id: table.id,
        r#match: write_matches(&table.keys, translator, &notice.entry.matches),
        priority: notice.entry.priority.map_or(0, |priority| i32::try_from(priority).unwrap_or(i32::MAX)),
        metadata: note.map(|note| note.metadata.clone()).unwrap_or_default(),
        controller_metadata: note.map_or(0, |note| note.controller_metadata),
        idle_timeout_ns: i64::try_from(timeout).unwrap_or(i64::MAX),
        ..v1::TableEntry::default()
    })
}
