//! Reads entities (specification, "`Read` RPC").

use prost::Message;
use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_switch::Switch;
use weir_switch::control::Control;

use crate::outcomes::status_of_parts;
use crate::pipeline::{Layout, Notes, Pipeline, Translator};
use crate::proto::v1;
use crate::proto::v1::entity::Entity;

/// The maximum number of entities in one part of an answer.
const MAX_ENTITIES: usize = 512;
/// The maximum size of one part in bytes, unless a single entity is larger.
const MAX_BYTES: usize = 1 << 18;

/// Limits for one read.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimits {
    /// The maximum number of requests. The error of each failed request is kept in memory.
    pub requests: usize,
    /// The maximum number of entries, cells and requests that one read examines before it stops.
    /// The limit is needed because a read blocks the switch until it ends, and because requests
    /// that find nothing take no room in the answer.
    pub looked_at: u64,
}

impl ReadLimits {
    /// The limits of Weir's own reads.
    pub const NONE: Self = Self { requests: usize::MAX, looked_at: u64::MAX };
}

/// Reads the requested entities at the time `now`, and passes them to `sink` in parts of limited
/// size. `sink` returns false if the reader is gone. `may_read` returns whether the object with an
/// id belongs to the requesting role. Other objects are left out.
///
/// # Errors
/// `UNKNOWN` if a request is wrong. The details have an outcome for each request, and the other
/// requests are answered. `RESOURCE_EXHAUSTED` if a limit is exceeded.
pub fn read(
    limits: ReadLimits,
    pipeline: &Pipeline,
    switch: &mut Switch,
    now: Nanos,
    requests: &[v1::Entity],
    may_read: &dyn Fn(u32) -> bool,
    sink: &mut dyn FnMut(v1::ReadResponse) -> bool,
) -> Result<(), tonic::Status> {
    if requests.len() > limits.requests {
        return Err(tonic::Status::resource_exhausted(format!(
            "the read has {} requests: expected {} at most; send several reads",
            requests.len(),
            limits.requests
        )));
    }
    let Pipeline { layout, translator, notes, .. } = pipeline;
    // A read never allocates a number to a text.
    let texts = translator.texts().mark();
    let answer = Answer { entities: Vec::new(), bytes: 0, is_open: true, sink };
    let control = switch.control_at(now);
    let mut reader = Reader { layout, translator, notes, control: &control, may_read, looked_at: 0, answer };
    let mut failed = Vec::new();
    let mut refused = None;
    for (index, request) in requests.iter().enumerate() {
        if reader.looked_at >= limits.looked_at {
            refused = Some(tonic::Status::resource_exhausted(format!(
                "request {index} and later requests are not answered: earlier requests looked at {} entries \
                 or cells, expected at most {}; send several reads, or give whole keys",
                reader.looked_at, limits.looked_at
            )));
            break;
        }
        reader.looked_at += 1;
        if let Err(problem) = reader.request(request) {
            failed.push((index, problem));
        }
        if !reader.answer.is_open {
            break;
        }
    }
    reader.answer.flush();
    translator.texts().take_back(texts);
    if !reader.answer.is_open {
        return Err(Problem::new(Code::Cancelled, "nobody reads the answer").into());
    }
    if let Some(refused) = refused {
        return Err(refused);
    }
    if failed.is_empty() { Ok(()) } else { Err(status_of_parts("request", requests.len(), &failed)) }
}

/// The parts of an answer.
struct Answer<'s> {
    entities: Vec<v1::Entity>,
    bytes: usize,
    /// Whether the reader still accepts parts.
    is_open: bool,
    sink: &'s mut dyn FnMut(v1::ReadResponse) -> bool,
}

impl Answer<'_> {
    /// Sends the entities that have been collected in one response.
    fn flush(&mut self) {
        if self.is_open && !self.entities.is_empty() {
            let entities = std::mem::take(&mut self.entities);
            self.bytes = 0;
            self.is_open = (self.sink)(v1::ReadResponse { entities });
        }
    }
}

/// Reads the entities that a client requests.
pub(super) struct Reader<'r, 's> {
    pub layout: &'r Layout,
    pub translator: &'r Translator,
    pub notes: &'r Notes,
    pub control: &'r Control<'r>,
    pub may_read: &'r dyn Fn(u32) -> bool,
    /// The number of entries, cells and requests that were examined so far.
    pub looked_at: u64,
    answer: Answer<'s>,
}

impl Reader<'_, '_> {
    /// Adds an entity to the answer. Returns false if the reader is gone.
    pub fn emit(&mut self, entity: Entity) -> bool {
        self.looked_at += 1;
        let entity = v1::Entity { entity: Some(entity) };
        let bytes = entity.encoded_len();
        let answer = &mut self.answer;
        if answer.entities.len() == MAX_ENTITIES || answer.bytes + bytes > MAX_BYTES {
            answer.flush();
        }
        answer.entities.push(entity);
        answer.bytes += bytes;
        answer.is_open
    }

    /// Reads the entities for which one part of a request asks.
    fn request(&mut self, request: &v1::Entity) -> Result<(), Problem> {
        let entity = request.entity.as_ref();
        match entity.ok_or_else(|| Problem::invalid("the request has no `entity`"))? {
            Entity::TableEntry(entry) => self.table_entries(entry),
            Entity::ActionProfileMember(member) => self.members(member),
            Entity::ActionProfileGroup(group) => self.groups(group),
            Entity::CounterEntry(entry) => self.counter_entries(entry),
            Entity::DirectCounterEntry(entry) => self.direct_counter_entries(entry),
            Entity::MeterEntry(entry) => self.meter_entries(entry),
            Entity::DirectMeterEntry(entry) => self.direct_meter_entries(entry),
            Entity::RegisterEntry(entry) => self.register_entries(entry),
            Entity::ValueSetEntry(entry) => self.value_set_entries(entry),
            Entity::DigestEntry(entry) => self.digest_entries(entry),
            Entity::PacketReplicationEngineEntry(entry) => self.replications(entry),
            // No extern of Weir has messages of its own type, so a request for all extern entries
            // has an empty answer.
            Entity::ExternEntry(entry) if entry.extern_type_id == 0 && entry.extern_id == 0 => Ok(()),
            Entity::ExternEntry(entry) => Err(self.layout.refuse_extern(entry)),
        }
    }
}
