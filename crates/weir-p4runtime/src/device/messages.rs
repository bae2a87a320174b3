//! Messages between a switch and its controllers that answer no request: packets, digests, and
//! notices of idle entries.

use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_switch::Switch;
use weir_switch::control::{Digest, IdleNotice};

use super::{Device, locked};
use crate::entities;
use crate::proto::v1;
use crate::proto::v1::stream_message_response::Update;
use crate::sessions::{ClientId, MessageCounts, RoleConfig};

/// The maximum number of notices in one message.
const MAX_NOTICES: usize = 512;

impl Device {
    /// Sends a frame that left the switch at its CPU port to the primary of each role that receives
    /// packets.
    pub fn packet_in(&self, frame: &[u8]) {
        let programs = locked(&self.programs);
        let Some(program) = programs.running() else { return };
        // A frame without the header that the P4Info describes is not for controllers.
        let Ok(packet) = entities::packet_in(&program.pipeline, frame) else { return };
        drop(programs);
        let receives = |config: Option<&RoleConfig>| config.is_none_or(|config| config.receives(&packet));
        let lost = MessageCounts { packets: 1, ..MessageCounts::default() };
        self.send(lost, |config| receives(config).then(|| Update::Packet(packet.clone())));
    }

    /// Passes a controller's packet to the switch, at the CPU port.
    ///
    /// # Errors
    /// The packet did not enter the switch.
    pub fn packet_out(&self, client: ClientId, packet: &v1::PacketOut) -> Result<(), Problem> {
        if !self.sends_packets(client) {
            let why = "only a role's primary sends packets, and only if the role's config lets it";
            return Err(Problem::new(Code::PermissionDenied, why));
        }
        let frame = {
            let programs = locked(&self.programs);
            let program = programs.running().ok_or_else(no_running_program)?;
            entities::packet_out(&program.pipeline, packet)?
        };
        let Some(port) = self.owner.cpu_port() else {
            let why = "the switch has no CPU port, by which packets of controllers enter";
            return Err(Problem::new(Code::FailedPrecondition, why));
        };
        self.owner.receive(port, &frame).map_err(|gone| Problem::new(Code::Unavailable, gone.to_string()))
    }

    /// Records that a controller has read a list of digests.
    ///
    /// # Errors
    /// There is no such list, or the controller is not permitted to acknowledge it.
    pub fn acknowledge(&self, client: ClientId, ack: v1::DigestListAck) -> Result<(), Problem> {
        if !self.may_write(client, ack.digest_id) {
            let why = "only primaries of roles that receive a digest acknowledge it";
            return Err(Problem::new(Code::PermissionDenied, why));
        }
        let mut programs = locked(&self.programs);
        let program = programs.running().ok_or_else(no_running_program)?;
        if !program.pipeline.has_digest(ack.digest_id) {
            let why = format!("the P4Info has no digest {}", ack.digest_id);
            return Err(Problem::new(Code::InvalidArgument, why));
        }
        let acknowledged = programs.digests.acknowledge(ack.digest_id, ack.list_id);
        acknowledged.map_err(|unknown| Problem::new(Code::InvalidArgument, unknown.to_string()))
    }

    /// Takes the messages of the switch, and sends the messages that are due to the controllers.
    ///
    /// # Errors
    /// The switch is gone.
    pub fn deliver(&self) -> Result<(), tonic::Status> {
        self.with_switch(|switch, now| self.deliver_from(switch, now))
    }

    /// Like [`Self::deliver`], for an owner that has access to the switch.
    pub fn deliver_from(&self, switch: &mut Switch, now: Nanos) {
        let mut control = switch.control_at(now);
        let (digests, notices) = (control.take_digests(), control.take_idle_notices());
        self.deliver_messages(switch, now, &digests, &notices);
    }

    /// Like [`Self::deliver_from`], for an owner that has taken the messages from the switch,
    /// because others receive them, too.
    pub fn deliver_messages(
        &self,
        switch: &mut Switch,
        now: Nanos,
        digests: &[Digest],
        notices: &[IdleNotice],
    ) {
        let mut programs = locked(&self.programs);
        let Some((program, lists)) = programs.running_with_digests(switch) else { return };
        let config = |id| program.pipeline.digest_config(id);
        let mut full = lists.take_due(now, config);
        for message in digests {
            let Some((id, data)) = entities::digest(&program.pipeline, message) else { continue };
            let Some(config) = config(id) else { continue };
            full.extend(lists.add(now, id, &config, data));
        }
        let entries = notices.iter().filter_map(|notice| entities::idle_entry(&program.pipeline, notice));
        let entries: Vec<v1::TableEntry> = entries.collect();
        for list in full {
            let may_read =
                |config: Option<&RoleConfig>| config.is_none_or(|config| config.may_write(list.digest_id));
            let lost = MessageCounts { digests: 1, ..MessageCounts::default() };
            let sent = self.send(lost, |config| may_read(config).then(|| Update::Digest(list.clone())));
            if sent == 0 {
                // No controller received the list, so its messages must be sent again if they
                // recur.
                let _sent_before = lists.acknowledge(list.digest_id, list.list_id);
            }
        }
        let timestamp = i64::try_from(now).unwrap_or(i64::MAX);
        for entries in entries.chunks(MAX_NOTICES) {
            let lost = MessageCounts { notices: 1, ..MessageCounts::default() };
            self.send(lost, |config| {
                let may_read = |id| config.is_none_or(|config| config.may_write(id));
                let table_entry: Vec<_> =
                    entries.iter().filter(|entry| may_read(entry.table_id)).cloned().collect();
                let notification = v1::IdleTimeoutNotification { table_entry, timestamp };
                (!notification.table_entry.is_empty())
                    .then_some(Update::IdleTimeoutNotification(notification))
            });
        }
    }

    /// Sends to each role's primary the message that `message` makes for the role. Returns the
    /// number of messages that were sent. If no primary receives one, adds `lost` to the lost
    /// messages.
    fn send(&self, lost: MessageCounts, message: impl FnMut(Option<&RoleConfig>) -> Option<Update>) -> usize {
        self.lockstep.sending(|| self.sessions().send_to_primaries(lost, message))
    }

    /// Returns the time at which the next list of digests must be sent.
    pub fn next_deadline(&self) -> Option<Nanos> {
        locked(&self.programs).digests.next_deadline()
    }
}

fn no_running_program() -> Problem {
    Problem::new(Code::FailedPrecondition, "no program of a controller runs yet")
}
