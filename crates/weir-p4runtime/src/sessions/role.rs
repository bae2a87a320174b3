//! Roles: parts of a switch, each with its own primary controller (specification, "Role Config").
//!
//! The specification leaves the form of `Role.config` to an agreement between controllers and
//! server. Weir understands the message `stratum.P4RoleConfig`, which Stratum's switches use:
//!
//! | field | type | meaning |
//! |---|---|---|
//! | 1 `exclusive_p4_ids` | repeated uint32 | objects that this role may write, and no other role may claim |
//! | 2 `shared_p4_ids` | repeated uint32 | objects that this role may write together with others |
//! | 3 `packet_in_filter` | `{1: uint32 metadata_id, 2: bytes value}` | receive only packets with this metadata |
//! | 4 `receives_packet_ins` | bool | receive packets at all |
//! | 5 `can_push_pipeline` | bool | change the program |
//!
//! A role without config may do everything.

use std::collections::BTreeSet;

use prost::Message;
use prost_types::Any;

use crate::proto::v1;

/// The role that a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoleName {
    /// The default role, for requests without a role.
    #[default]
    Default,
    /// A role with a name, as in versions of the protocol from 1.4 on.
    Named(String),
    /// A role with a number, as in earlier versions. A role with the same number as its name is
    /// another role.
    Numbered(u64),
}

/// The maximum length of a role's name in bytes.
pub const MAX_NAME: usize = 256;

impl RoleName {
    /// Returns the role of a request with a `name` and the deprecated `number`. If both are given,
    /// the name counts.
    pub fn new(name: &str, number: u64) -> Self {
        match (name, number) {
            ("", 0) => Self::Default,
            ("", number) => Self::Numbered(number),
            (name, _) => Self::Named(name.to_owned()),
        }
    }

    /// Returns the role that a message names.
    #[expect(deprecated, reason = "controllers of protocol versions before 1.4 give numbers")]
    pub fn from_message(role: Option<&v1::Role>) -> Self {
        role.map_or(Self::Default, |role| Self::new(&role.name, role.id))
    }

    /// Makes the message for the role, with its config.
    #[expect(deprecated, reason = "controllers of protocol versions before 1.4 give numbers")]
    pub fn message(&self, config: Option<Any>) -> v1::Role {
        let (name, id) = match self {
            Self::Default => (String::new(), 0),
            Self::Named(name) => (name.clone(), 0),
            Self::Numbered(number) => (String::new(), *number),
        };
        v1::Role { id, name, config }
    }
}

impl std::fmt::Display for RoleName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("the default role"),
            Self::Named(name) => write!(f, "the role {name:?}"),
            Self::Numbered(number) => write!(f, "the role number {number}"),
        }
    }
}

/// A role's permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleConfig {
    /// The message that the controller sent.
    pub message: Any,
    /// The ids of objects that only this role may write.
    pub exclusive: BTreeSet<u32>,
    /// The ids of objects that this role may write and other roles may also write.
    pub shared: BTreeSet<u32>,
    /// Whether the role receives packets from the switch and may send packets.
    pub packets: bool,
    /// The metadata id and value of the packets that the role receives; `None` if it receives all
    /// packets.
    pub filter: Option<(u32, Vec<u8>)>,
    /// Whether the role may change the program.
    pub pipeline: bool,
}

/// The role's config on the wire.
#[derive(Clone, PartialEq, Message)]
struct P4RoleConfig {
    #[prost(uint32, repeated, tag = "1")]
    exclusive_p4_ids: Vec<u32>,
    #[prost(uint32, repeated, tag = "2")]
    shared_p4_ids: Vec<u32>,
    #[prost(message, optional, tag = "3")]
    packet_in_filter: Option<PacketFilter>,
    #[prost(bool, tag = "4")]
    receives_packet_ins: bool,
    #[prost(bool, tag = "5")]
    can_push_pipeline: bool,
}

#[derive(Clone, PartialEq, Message)]
struct PacketFilter {
    #[prost(uint32, tag = "1")]
    metadata_id: u32,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// The maximum size of a config in bytes. The limit is needed because the server keeps configs and
/// sends them to all controllers of a role.
const MAX_BYTES: usize = 64 << 10;

/// The name of the message, which is the last part of an `Any`'s type URL.
const MESSAGE: &str = "stratum.P4RoleConfig";

impl RoleConfig {
    /// Reads `Role.config`.
    ///
    /// # Errors
    /// The config is wrong. The message says what is wrong.
    pub fn read(message: &Any) -> Result<Self, String> {
        let name = message.type_url.rsplit('/').next().unwrap_or_default();
        if name != MESSAGE {
            return Err(format!(
                "the role's config is a {name:?}; this server understands {MESSAGE:?} \
                 (exclusive_p4_ids, shared_p4_ids, packet_in_filter, receives_packet_ins, can_push_pipeline)"
            ));
        }
        if message.value.len() > MAX_BYTES {
            let (has, most) = (message.value.len(), MAX_BYTES);
            return Err(format!("the role's config has {has} bytes; the limit is {most}"));
        }
        let config = P4RoleConfig::decode(message.value.as_slice())
            .map_err(|error| format!("the role's config is not a {MESSAGE}: {error}"))?;
        let ids = |ids: Vec<u32>| BTreeSet::from_iter(ids);
        let (exclusive, shared) = (ids(config.exclusive_p4_ids), ids(config.shared_p4_ids));
        if let Some(id) = exclusive.intersection(&shared).next() {
            return Err(format!("the role's config has the id {id} among its exclusive and its shared ids"));
        }
        let filter = config.packet_in_filter.map(|filter| (filter.metadata_id, filter.value));
        Ok(Self {
            message: message.clone(),
            exclusive,
            shared,
            packets: config.receives_packet_ins,
            filter: filter.map(|(id, value)| (id, shortest(&value).to_vec())),
            pipeline: config.can_push_pipeline,
        })
    }

    /// Returns whether the role may write an object.
    pub fn may_write(&self, id: u32) -> bool {
        self.exclusive.contains(&id) || self.shared.contains(&id)
    }

    /// Returns whether the role receives a packet.
    pub fn receives(&self, packet: &v1::PacketIn) -> bool {
        self.packets
            && self.filter.as_ref().is_none_or(|(id, wanted)| {
                let field = packet.metadata.iter().find(|field| field.metadata_id == *id);
                field.is_some_and(|field| shortest(&field.value) == wanted)
            })
    }

    /// Returns the id of an object that one of the two roles claims exclusively and the other role
    /// also claims.
    pub fn conflict(&self, other: &Self) -> Option<u32> {
        let claimed = |one: &Self, other: &Self| {
            let mut exclusive = one.exclusive.iter().copied();
            exclusive.find(|id| other.may_write(*id))
        };
        claimed(self, other).or_else(|| claimed(other, self))
    }
}

/// Removes the leading zeros of a number.
fn shortest(value: &[u8]) -> &[u8] {
    let zeros = value.iter().take_while(|byte| **byte == 0).count();
    &value[zeros.min(value.len().saturating_sub(1))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(config: &P4RoleConfig) -> Any {
        Any { type_url: format!("type.googleapis.com/{MESSAGE}"), value: config.encode_to_vec() }
    }

    #[test]
    fn a_config_names_the_objects_and_packets_of_a_role() {
        let filter = PacketFilter { metadata_id: 2, value: vec![0, 7] };
        let message = any(&P4RoleConfig {
            exclusive_p4_ids: vec![5],
            shared_p4_ids: vec![6],
            packet_in_filter: Some(filter),
            receives_packet_ins: true,
            can_push_pipeline: false,
        });
        let config = RoleConfig::read(&message).unwrap();
        assert_eq!([4, 5, 6].map(|id| config.may_write(id)), [false, true, true]);
        let packet = |value: &[u8]| v1::PacketIn {
            payload: Vec::new(),
            metadata: vec![v1::PacketMetadata { metadata_id: 2, value: value.to_vec() }],
        };
        assert!(config.receives(&packet(&[7])) && config.receives(&packet(&[0, 0, 7])));
        assert!(!config.receives(&packet(&[8])) && !config.receives(&v1::PacketIn::default()));
        assert!(!config.pipeline);
    }

    #[test]
    fn other_configs_are_refused_with_what_is_understood() {
        let other = Any { type_url: "type.googleapis.com/a.B".to_owned(), value: Vec::new() };
        assert!(RoleConfig::read(&other).unwrap_err().contains(MESSAGE));
        let broken = Any { value: vec![0xff], ..any(&P4RoleConfig::default()) };
        assert!(RoleConfig::read(&broken).unwrap_err().starts_with("the role's config is not a"));
        let text =
            any(&P4RoleConfig { exclusive_p4_ids: vec![1], shared_p4_ids: vec![1], ..Default::default() });
        assert!(RoleConfig::read(&text).unwrap_err().contains("id 1"));
    }

    #[test]
    fn exclusive_objects_belong_to_one_role() {
        let read = |exclusive: &[u32], shared: &[u32]| {
            RoleConfig::read(&any(&P4RoleConfig {
                exclusive_p4_ids: exclusive.to_vec(),
                shared_p4_ids: shared.to_vec(),
                ..Default::default()
            }))
            .unwrap()
        };
        assert_eq!(read(&[1], &[2]).conflict(&read(&[3], &[2])), None);
        assert_eq!(read(&[1], &[2]).conflict(&read(&[3], &[1])), Some(1));
        assert_eq!(read(&[1], &[2]).conflict(&read(&[2], &[])), Some(2));
    }
}
