//! Makes the changes of a batch, one after the other.

use weir_device::Nanos;
use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{Control, Schema, Transaction, Update};

use super::target;
use crate::explain::explain;
use crate::info::{DeviceInfo, Object, Table};
use crate::notes::Notes;
use crate::values::Data;

/// The outcome of an update that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The update was made.
    Made,
    /// The entry to insert already existed, and was modified.
    Modified,
}

/// Makes changes in a transaction.
pub struct Writer<'w, 't, 'a> {
    /// The tables.
    pub info: &'w DeviceInfo,
    /// The data that the switch does not keep. A failed change does not affect these data.
    pub notes: &'w mut Notes,
    /// The changes.
    pub transaction: &'w mut Transaction<'t, 'a>,
    /// The time.
    pub now: Nanos,
}

/// The part of an entry that a request writes.
pub struct Wanted<'r> {
    /// The kind of the change.
    pub kind: Type,
    /// The entry.
    pub entry: &'r bfrt::TableEntry,
    /// The data.
    pub data: Data<'r>,
    /// Whether the request is for a single pipe.
    pub is_for_pipe: bool,
}

impl Wanted<'_> {
    /// Returns whether a change of lists removes their items.
    pub fn removes(&self) -> bool {
        use bfrt::table_mod_inc_flag::Type as Old;
        let flags = self.entry.table_flags.is_some_and(|flags| flags.mod_del);
        #[expect(deprecated, reason = "older clients write it")]
        let old = self.entry.table_mod_inc_flag.is_some_and(|flag| flag.r#type() == Old::ModIncDelete);
        flags || old
    }

    /// Returns the key.
    ///
    /// # Errors
    /// The entry has none.
    pub fn key(&self) -> Result<&bfrt::TableKey, Problem> {
        match &self.entry.value {
            Some(bfrt::table_entry::Value::Key(key)) => Ok(key),
            Some(bfrt::table_entry::Value::HandleId(_)) => {
                Err(Problem::unsupported("only entries of the program's tables have handles"))
            }
            None => Err(Problem::invalid("the entry has no key")),
        }
    }

    /// Returns whether the request is about all entries.
    pub fn is_for_all(&self) -> bool {
        self.entry.value.is_none()
    }

    /// Makes the problem that a table does not support a kind of change.
    pub fn unsupported(&self, table: &Table) -> Problem {
        let kind = self.kind.as_str_name();
        Problem::unsupported(format!("`{}` does not support {kind}", table.name))
    }
}

impl<'a> Writer<'_, '_, 'a> {
    /// Returns the state of the switch, with the changes so far.
    pub fn control(&self) -> &Control<'a> {
        self.transaction.control()
    }

    /// Returns the objects of the switch's program.
    pub fn schema(&self) -> &'a Schema {
        self.transaction.control().schema()
    }

    /// Applies a change to the switch.
    ///
    /// # Errors
    /// The switch refuses the change.
    pub fn change(&mut self, update: &Update) -> Result<Option<u64>, Problem> {
        let made = self.transaction.write(update);
        made.map_err(|error| explain(self.schema(), error))
    }

    /// Makes one change of a request, which has a target unless the update has its own.
    ///
    /// # Errors
    /// The change is wrong, or is not possible.
    pub fn update(
        &mut self,
        of_request: Option<&bfrt::TargetDevice>,
        update: &bfrt::Update,
    ) -> Result<Outcome, Problem> {
        let kind = match Type::try_from(update.r#type) {
            Ok(Type::Unspecified) => return Err(Problem::invalid("the update has no `type`")),
            Ok(kind) => kind,
            Err(_) => {
                let number = update.r#type;
                return Err(Problem::invalid(format!("{number} is not a type of an update")));
            }
        };
        let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
        let entity = entity.ok_or_else(|| Problem::invalid("the update has no `entity`"))?;
        let own = match entity {
            Entity::TableEntry(entry) => entry.entry_tgt.as_ref(),
            _ => None,
        };
        let target = own.or(of_request);
        target.map_or(Ok(()), target::check)?;
        let is_for_pipe = target.is_some_and(|target| target.pipe_id != target::ALL_PIPES);
        match entity {
            Entity::TableEntry(entry) => self.entry(kind, entry, is_for_pipe),
            Entity::TableAttribute(attribute) => self.attribute(attribute).map(|()| Outcome::Made),
            Entity::TableOperation(operation) => self.operation(operation).map(|()| Outcome::Made),
            Entity::TableUsage(_) | Entity::ObjectId(_) | Entity::Handle(_) => {
                Err(Problem::invalid("usages, ids and handles can only be read"))
            }
        }
    }

    fn entry(&mut self, kind: Type, entry: &bfrt::TableEntry, is_for_pipe: bool) -> Result<Outcome, Problem> {
        let info = self.info;
        let table = info.table(entry.table_id)?;
        let wanted = Wanted { kind, entry, data: Data::read(table, entry.data.as_ref())?, is_for_pipe };
        if kind == Type::InsertOrModify && !entry.is_default_entry {
            // The kind of change depends on whether the entry exists.
            let is_there = self.has(table, &wanted)?;
            let kind = if is_there { Type::Modify } else { Type::Insert };
            self.object(table, &Wanted { kind, ..wanted })?;
            return Ok(if is_there { Outcome::Modified } else { Outcome::Made });
        }
        self.object(table, &wanted)?;
        Ok(Outcome::Made)
    }

    fn object(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let has_default = matches!(
            table.object,
            Object::Match(_)
                | Object::Parameter(_)
                | Object::HashInputs(_)
                | Object::HashFunction(_)
                | Object::Device
        );
        if wanted.entry.is_default_entry && !has_default {
            return Err(Problem::invalid(format!("`{}` has no default entry", table.name)));
        }
        match table.object {
            Object::Match(id) => self.match_entry(table, id, wanted),
            Object::Members(id) => self.member(table, id, wanted),
            Object::Groups(id) => self.group(table, id, wanted),
            Object::Counter(id) => self.counter(table, id, wanted),
            Object::Meter(id) => self.meter(table, id, wanted),
            Object::Register(id) => self.register(table, id, wanted),
            Object::Filter(id) => self.filter(table, id, wanted),
            Object::HashInputs(id) => self.hash_inputs(table, id, wanted),
            Object::HashFunction(id) => self.hash_function(table, id, wanted),
            Object::Parameter(id) => self.parameter(table, id, wanted),
            Object::ValueSet(id) => self.value_set(table, id, wanted),
            Object::MulticastGroups => self.multicast_group(table, wanted),
            Object::MulticastNodes => self.multicast_node(table, wanted),
            Object::MulticastEcmps => self.multicast_ecmp(table, wanted),
            Object::MulticastLags | Object::PrunedPorts | Object::MulticastPorts => {
                self.engine_entry(table, wanted)
            }
            Object::MirrorSessions => self.mirror_session(table, wanted),
            Object::Ports => self.port(table, wanted),
            Object::GeneratorPorts => self.generator_port(table, wanted),
            Object::GeneratorApps => self.generator_app(table, wanted),
            Object::GeneratorBuffer => self.generator_buffer(table, wanted),
            Object::Device => self.device(table, wanted),
            // Clients that clear all tables reset these, too.
            Object::HashValue(_) | Object::MemberOfHash(_)
                if matches!(wanted.kind, Type::Delete | Type::Reset) =>
            {
                Ok(())
            }
            Object::PortCounts
            | Object::PortsByConnector
            | Object::PortsByName
            | Object::HashValue(_)
            | Object::MemberOfHash(_) => {
                Err(Problem::unsupported(format!("`{}` can only be read", table.name)))
            }
        }
    }

    /// Returns whether a table has an entry with the key of a request.
    fn has(&self, table: &Table, wanted: &Wanted<'_>) -> Result<bool, Problem> {
        match table.object {
            Object::Match(id) => self.has_match_entry(table, id, wanted),
            Object::Members(id) => self.has_member(table, id, wanted),
            Object::Groups(_) => self.has_group(table, wanted),
            Object::ValueSet(id) => self.has_value(table, id, wanted),
            Object::MulticastGroups
            | Object::MulticastNodes
            | Object::MulticastEcmps
            | Object::MirrorSessions
            | Object::Ports => self.has_device_entry(table, wanted),
            // All of these are there.
            Object::MulticastLags
            | Object::PrunedPorts
            | Object::MulticastPorts
            | Object::GeneratorPorts
            | Object::GeneratorApps
            | Object::GeneratorBuffer
            | Object::Counter(_)
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
            | Object::Device => Ok(true),
        }
    }
}
