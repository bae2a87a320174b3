//! Reads and writes the settings of digests (specification, "`DigestEntry`"). The module
//! `digest_lists` collects the digests themselves.

use weir_grpc::{Code, Problem};

use super::read::Reader;
use super::writer::Writer;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::update::Type;

impl Writer<'_, '_, '_> {
    pub(super) fn digest_entry(&mut self, kind: Type, entry: &v1::DigestEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, digest) = layout.digest(entry.digest_id)?;
        let (id, name) = (digest.id, &digest.name);
        match (kind, self.notes.digests.get(id).is_some()) {
            (Type::Insert, true) => {
                let message = format!("the digest `{name}` is sent already");
                return Err(Problem::new(Code::AlreadyExists, message));
            }
            (Type::Modify | Type::Delete, false) => {
                return Err(Problem::not_found(format!("the digest `{name}` is not sent")));
            }
            (Type::Delete, true) => {
                self.notes.digests.set(id, None);
                return Ok(());
            }
            _ => {}
        }
        let config = entry.config.unwrap_or_default();
        if config.max_timeout_ns < 0 || config.max_list_size < 0 || config.ack_timeout_ns < 0 {
            return Err(Problem::invalid(format!("a setting of the digest `{name}` is negative")));
        }
        self.notes.digests.set(id, Some(*entry));
        Ok(())
    }
}

impl Reader<'_, '_> {
    /// Reads the settings of a digest. Without an id, reads the settings of all digests that the
    /// switch sends.
    pub(super) fn digest_entries(&mut self, message: &v1::DigestEntry) -> Result<(), Problem> {
        if message.digest_id != 0 {
            self.layout.digest(message.digest_id)?;
        }
        for (id, entry) in self.notes.digests.sorted() {
            if (message.digest_id == 0 || message.digest_id == id) && (self.may_read)(id) {
                self.emit(Entity::DigestEntry(*entry));
            }
        }
        Ok(())
    }
}
