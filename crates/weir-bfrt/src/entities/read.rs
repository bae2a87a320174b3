//! Answers to reads.

use prost::Message;
use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::handle_id;
use weir_p4runtime_proto::bfrt::object_id::Object as Named;
use weir_p4runtime_proto::bfrt::object_id::table_object::Names;
use weir_switch::control::Control;
use weir_switch::{PortCounts, PortStats, Switch};

use super::match_tables::{FIRST_HANDLE, entry_ref};
use super::{attributes, target};
use crate::explain::explain;
use crate::info::{DeviceInfo, Object};
use crate::notes::Notes;

/// The size of a part of an answer in bytes, beyond which the next part begins.
const PART_BYTES: usize = 64 << 10;

/// The limits of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// The maximum number of entries that one read examines.
    pub looked_at: u64,
}

/// The outcome of a read.
#[derive(Debug, Default)]
pub struct Reads {
    /// The requests that failed, with their positions.
    pub failed: Vec<(usize, Problem)>,
}

/// Reads the requested entities at the time `now`, and passes them to `sink` in parts. Ends early
/// if `sink` returns false.
pub fn read(
    info: &DeviceInfo,
    notes: &Notes,
    switch: &mut Switch,
    now: Nanos,
    limits: ReadLimits,
    request: &bfrt::ReadRequest,
    sink: &mut dyn FnMut(bfrt::ReadResponse) -> bool,
) -> Reads {
    // Only tables of ports need the counts.
    let counts = switch.stats().ports.clone();
    let control = switch.control_at(now);
    let mut reader = Reader {
        info,
        notes,
        counts,
        control: &control,
        limits,
        looked_at: 0,
        part: bfrt::ReadResponse::default(),
        bytes: 0,
        is_wanted: true,
        sink,
    };
    let mut reads = Reads::default();
    for (at, entity) in request.entities.iter().enumerate() {
        if let Err(problem) = reader.entity(request.target.as_ref(), entity) {
            reads.failed.push((at, problem));
        }
        if !reader.is_wanted {
            break;
        }
    }
    reader.flush();
    reads
}

/// Reads entities.
pub(super) struct Reader<'r> {
    pub info: &'r DeviceInfo,
    pub notes: &'r Notes,
    pub control: &'r Control<'r>,
    counts: PortCounts,
    limits: ReadLimits,
    looked_at: u64,
    part: bfrt::ReadResponse,
    /// The size of the part.
    bytes: usize,
    /// Whether the client still takes parts.
    is_wanted: bool,
    sink: &'r mut dyn FnMut(bfrt::ReadResponse) -> bool,
}

impl Reader<'_> {
    /// Adds an entity to the answer.
    pub fn emit(&mut self, entity: Entity) {
        let entity = bfrt::Entity { entity: Some(entity) };
        self.bytes += entity.encoded_len();
        self.part.entities.push(entity);
        if self.bytes >= PART_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let part = std::mem::take(&mut self.part);
        self.bytes = 0;
        if !part.entities.is_empty() && self.is_wanted {
            self.is_wanted = (self.sink)(part);
        }
    }

    /// Counts an entry that is examined.
    ///
    /// # Errors
    /// The read has examined too many entries, or nobody takes the answer any more.
    pub fn look(&mut self) -> Result<(), Problem> {
        self.looked_at += 1;
        if self.looked_at > self.limits.looked_at {
            let most = self.limits.looked_at;
            return Err(Problem::new(
                Code::ResourceExhausted,
                format!("one read examines at most {most} entries: read less at a time"),
            ));
        }
        match self.is_wanted {
            true => Ok(()),
            false => Err(Problem::new(Code::Cancelled, "nobody takes the answer")),
        }
    }

    fn entity(
        &mut self,
        of_request: Option<&bfrt::TargetDevice>,
        entity: &bfrt::Entity,
    ) -> Result<(), Problem> {
        let entity = entity.entity.as_ref().ok_or_else(|| Problem::invalid("the entity is empty"))?;
        let own = match entity {
            Entity::TableEntry(entry) => entry.entry_tgt.as_ref(),
            _ => None,
        };
        let target = own.or(of_request).copied().unwrap_or_default();
        target::check(&target)?;
        match entity {
            Entity::TableEntry(entry) => self.entries(target, entry),
            Entity::TableUsage(usage) => self.usage(usage),
            Entity::TableAttribute(attribute) => {
                let read = attributes::read(self.info, self.notes, self.control, attribute)?;
                self.emit(Entity::TableAttribute(read));
                Ok(())
            }
            Entity::Handle(handle) => self.handle(handle),
            Entity::ObjectId(named) => self.object_id(named),
            Entity::TableOperation(_) => Err(Problem::invalid("operations can only be written")),
        }
    }

    /// Returns the counts of a port.
    pub fn port_counts(&self, port: u32) -> PortStats {
        self.counts[&port]
    }

    /// Reads the number of entries of a table.
    fn usage(&mut self, wanted: &bfrt::TableUsage) -> Result<(), Problem> {
        let table = self.info.table(wanted.table_id)?;
        let own = |error| explain(self.control.schema(), error);
        let usage = match table.object {
            Object::Match(id) => self.control.table_state(id).map_err(own)?.entries,
            Object::Members(id) => self.control.profile_len(id).map_err(own)?.0,
            Object::Groups(id) => self.control.profile_len(id).map_err(own)?.1,
            Object::ValueSet(id) => self.control.value_set(id).map_err(own)?.len(),
            Object::MulticastGroups => self.notes.multicast.len(),
            Object::MulticastNodes => self.notes.nodes.len(),
            Object::MulticastEcmps => self.notes.ecmps.len(),
            // All of these are there.
            Object::MulticastLags | Object::PrunedPorts => table.size as usize,
            Object::MulticastPorts => self.control.ports().count(),
            Object::MirrorSessions => self.notes.mirrors.len(),
            Object::Ports => self.notes.ports.len(),
            Object::GeneratorPorts => self.info.generator_ports().count(),
            Object::GeneratorApps => self.notes.generators.len(),
            Object::Counter(_)
            | Object::GeneratorBuffer
            | Object::Meter(_)
            | Object::Register(_)
            | Object::Filter(_)
            | Object::HashInputs(_)
            | Object::HashFunction(_)
            | Object::HashValue(_)
            | Object::MemberOfHash(_)
            | Object::Parameter(_)
            | Object::PortCounts
            | Object::PortsByConnector
            | Object::PortsByName
            | Object::Device => {
                return Err(Problem::unsupported(format!("`{}` has no usage", table.name)));
            }
        };
        let usage = u32::try_from(usage).unwrap_or(u32::MAX);
        self.emit(Entity::TableUsage(bfrt::TableUsage {
            table_id: table.id,
            usage,
            ..bfrt::TableUsage::default()
        }));
        Ok(())
    }

    /// Finds the handle of an entry.
    fn handle(&mut self, wanted: &bfrt::HandleId) -> Result<(), Problem> {
        let table = self.info.table(wanted.table_id)?;
        let (Object::Match(id), Some(handle_id::Value::Key(key))) = (table.object, &wanted.value) else {
            return Err(Problem::invalid("a handle needs a table of the program and a key"));
        };
        let named = bfrt::table_entry::Value::Key(key.clone());
        let entry = entry_ref(self.control, table, id, Some(&named))?;
        let handle =
            self.control.handle(id, &entry).map_err(|error| explain(self.control.schema(), error))?;
        let handle = u32::try_from(handle.saturating_add(FIRST_HANDLE))
            .map_err(|_| Problem::out_of_range(format!("the handle {handle} needs more than 32 bits")))?;
        let value = Some(handle_id::Value::HandleId(handle));
        self.emit(Entity::Handle(bfrt::HandleId { table_id: table.id, value }));
        Ok(())
    }

    /// Finds the number that belongs to a name.
    fn object_id(&mut self, wanted: &bfrt::ObjectId) -> Result<(), Problem> {
        let missing = |what: &str, name: &str| Problem::not_found(format!("there is no {what} {name:?}"));
        let id = match &wanted.object {
            Some(Named::TableObject(of)) => {
                let table = self.info.tables().iter().find(|table| table.name == of.table_name);
                let table = table.ok_or_else(|| missing("table", &of.table_name))?;
                let action = |name: &str| {
                    let action = table.actions.iter().find(|action| action.name == name);
                    action.ok_or_else(|| missing("action", name))
                };
                match &of.names {
                    None => table.id,
                    Some(Names::ActionName(named)) => action(&named.action)?.id,
                    Some(Names::KeyFieldName(named)) => {
                        let key = table.keys.iter().find(|key| key.name == named.field);
                        key.ok_or_else(|| missing("key field", &named.field))?.id
                    }
                    Some(Names::DataFieldName(named)) => {
                        let of_action =
                            if named.action.is_empty() { None } else { Some(action(&named.action)?) };
                        let params = of_action.into_iter().flat_map(|action| &action.data);
                        let field = params.chain(&table.data).find(|field| field.name == named.field);
                        field.ok_or_else(|| missing("data field", &named.field))?.id
                    }
                }
            }
            Some(Named::LearnObject(of)) => {
                let learn = self.info.learns.iter().find(|learn| learn.name == of.learn_name);
                let learn = learn.ok_or_else(|| missing("digest", &of.learn_name))?;
                match &of.data_field_name {
                    None => learn.id,
                    Some(named) => {
                        let field = learn.fields.iter().find(|field| field.name == named.field);
                        field.ok_or_else(|| missing("data field", &named.field))?.id
                    }
                }
            }
            None => return Err(Problem::invalid("the object has no name")),
        };
        self.emit(Entity::ObjectId(bfrt::ObjectId { id, ..wanted.clone() }));
        Ok(())
    }
}
