//! Makes the changes of a batch, one after the other.

use weir_device::Port;
use weir_grpc::Problem;
use weir_switch::control::{Control, ControlError, Transaction, Update};

use crate::pipeline::{Layout, LostPackets, Notes, Senders, Translator, add_lost};
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::update::Type;

/// The object id that stands for multicast groups and clone sessions when a role's permissions are
/// checked. P4Info has no id for them.
pub const PACKET_REPLICATION: u32 = 0;

/// Makes changes in a transaction.
pub(super) struct Writer<'w, 't, 'a> {
    pub layout: &'w Layout,
    pub translator: &'w Translator,
    pub notes: &'w mut Notes,
    pub transaction: &'w mut Transaction<'t, 'a>,
    /// Returns whether the object with this id may be changed.
    pub may_write: &'w dyn Fn(u32) -> bool,
    pub senders: &'w Senders,
    pub drop_port: Option<Port>,
    /// The packets that will be lost because of the changes so far.
    pub lost: &'w mut Vec<LostPackets>,
}

impl<'a> Writer<'_, '_, 'a> {
    pub fn control(&self) -> &Control<'a> {
        self.transaction.control()
    }

    /// Applies a change to the switch.
    pub fn change(&mut self, update: &Update) -> Result<Option<u64>, ControlError> {
        let number = self.transaction.write(update)?;
        add_lost(self.senders, self.transaction.control(), self.drop_port, update, self.lost);
        Ok(number)
    }

    /// Makes one change of a request.
    pub fn update(&mut self, update: &v1::Update) -> Result<(), Problem> {
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
        if !(self.may_write)(object_of(entity)) {
            return Err(Problem::permission_denied("the role is not permitted to change this object"));
        }
        match entity {
            Entity::TableEntry(entry) => self.table_entry(kind, entry),
            Entity::ActionProfileMember(member) => self.member(kind, member),
            Entity::ActionProfileGroup(group) => self.group(kind, group),
            Entity::CounterEntry(entry) => self.counter_entry(kind, entry),
            Entity::DirectCounterEntry(entry) => self.direct_counter_entry(kind, entry),
            Entity::MeterEntry(entry) => self.meter_entry(kind, entry),
            Entity::DirectMeterEntry(entry) => self.direct_meter_entry(kind, entry),
            Entity::RegisterEntry(entry) => self.register_entry(kind, entry),
            Entity::ValueSetEntry(entry) => self.value_set_entry(kind, entry),
            Entity::DigestEntry(entry) => self.digest_entry(kind, entry),
            Entity::PacketReplicationEngineEntry(entry) => self.replication(kind, entry),
            Entity::ExternEntry(entry) => Err(self.layout.refuse_extern(entry)),
        }
    }
}

/// Returns the id of the object that an entity belongs to.
pub fn object_of(entity: &Entity) -> u32 {
    let of_entry = |entry: &Option<v1::TableEntry>| entry.as_ref().map_or(0, |entry| entry.table_id);
    match entity {
        Entity::ExternEntry(entry) => entry.extern_id,
        Entity::TableEntry(entry) => entry.table_id,
        Entity::ActionProfileMember(member) => member.action_profile_id,
        Entity::ActionProfileGroup(group) => group.action_profile_id,
        Entity::MeterEntry(entry) => entry.meter_id,
        Entity::DirectMeterEntry(entry) => of_entry(&entry.table_entry),
        Entity::CounterEntry(entry) => entry.counter_id,
        Entity::DirectCounterEntry(entry) => of_entry(&entry.table_entry),
        Entity::PacketReplicationEngineEntry(_) => PACKET_REPLICATION,
        Entity::ValueSetEntry(entry) => entry.value_set_id,
        Entity::RegisterEntry(entry) => entry.register_id,
        Entity::DigestEntry(entry) => entry.digest_id,
    }
}
