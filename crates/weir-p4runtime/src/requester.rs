//! The fields of requests that say who sent them. The server decodes these fields first, so that it
//! can refuse a request before it decodes the rest.

use prost::Message;
use tonic::Status;
use weir_grpc::Received;

use crate::proto::v1;
use crate::sessions::RoleName;

/// The fields that `WriteRequest` and `SetForwardingPipelineConfigRequest` share, which name the
/// writer and the device.
#[derive(Clone, PartialEq, Message)]
pub struct Writer {
    /// The number of the device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The role's number in protocol versions before 1.4.
    #[prost(uint64, tag = "2")]
    role_id: u64,
    /// The election id of the role's primary.
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<v1::Uint128>,
    /// The role's name.
    #[prost(string, tag = "6")]
    role: String,
}

/// The fields of `ReadRequest` that name the reader's role and the device.
#[derive(Clone, PartialEq, Message)]
pub struct Reader {
    /// The number of the device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The role's name.
    #[prost(string, tag = "3")]
    pub role: String,
}

impl Writer {
    /// Decodes the writer of a message.
    ///
    /// # Errors
    /// The message cannot be decoded, or has too many parts.
    pub fn of(received: &Received) -> Result<Self, Status> {
        received.check_parts()?;
        received.some_fields()
    }

    /// Returns the role.
    pub fn role(&self) -> RoleName {
        RoleName::new(&self.role, self.role_id)
    }
}
