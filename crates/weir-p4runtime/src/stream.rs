//! Handles the messages on a controller's stream, one after the other.

use std::sync::Arc;

use tonic::Status;
use weir_accept::HeldStream;
use weir_grpc::{Code, Messages, Peer, Problem};

use crate::device::Device;
use crate::permissions::Right;
use crate::proto::v1;
use crate::proto::v1::stream_error::Details;
use crate::proto::v1::stream_message_request::Update as Request;
use crate::proto::v1::stream_message_response::Update as Response;
use crate::sessions::{ClientId, Outbox, Receives, RoleName};
use crate::shared::Shared;

/// The device and role that the controller has joined. The controller leaves them when this value
/// is dropped.
struct JoinedDevice {
    device: Arc<Device>,
    client: ClientId,
    _place: Option<HeldStream>,
    role: RoleName,
}

impl Drop for JoinedDevice {
    fn drop(&mut self) {
        self.device.leave(self.client);
    }
}

/// Reads a controller's messages until it disconnects, the server stops, or a message ends the
/// stream.
pub async fn serve(shared: Arc<Shared>, mut requests: Messages, outbox: Outbox, peer: Peer) {
    let mut joined = None;
    let mut stopping = shared.stopping.clone();
    let mut permissions = shared.permissions.subscribe();
    let end = loop {
        let request = tokio::select! {
            () = outbox.closed() => break Ok(()),
            _ = stopping.wait_for(|stops| *stops) => break Err(Status::unavailable("the server stops")),
            Ok(()) = permissions.changed() => match check_again(&shared, joined.as_ref(), &peer) {
                Ok(()) => continue,
                Err(status) => break Err(status),
            },
            request = requests.next() => request,
        };
        let request = match request {
            Ok(Some(request)) => request.decode::<v1::StreamMessageRequest>().await,
            Ok(None) => break Ok(()),
            Err(status) => break Err(status),
        };
        let request = match request {
            Ok(request) => request,
            Err(status) => break Err(status),
        };
        let answer = match request.message.update {
            Some(Request::Arbitration(update)) => {
                if let Err(status) = arbitrate(&shared, &mut joined, &update, &outbox, &peer) {
                    break Err(status);
                }
                Ok(())
            }
            Some(Request::Packet(packet)) => packet_out(&shared, joined.as_ref(), &peer, packet).await,
            Some(Request::DigestAck(ack)) => acknowledge(&shared, joined.as_ref(), &peer, ack).await,
            Some(Request::Other(other)) => {
                let message = format!("this server knows no messages {:?}", other.type_url);
                let details = Details::Other(v1::StreamOtherError { other: Some(other) });
                Err(error(Code::Unimplemented, message, details))
            }
            None => {
                let message = "the message is empty, or of a kind that this server does not know".to_owned();
                Err(error(Code::InvalidArgument, message, Details::Other(v1::StreamOtherError::default())))
            }
        };
        if let Err(error) = answer {
            outbox.send(Response::Error(error));
        }
    };
    // The other controllers are notified, then the controller itself.
    drop(joined);
    outbox.finish(end);
}

/// Handles a bid to become primary. An error ends the stream.
fn arbitrate(
    shared: &Shared,
    joined: &mut Option<JoinedDevice>,
    update: &v1::MasterArbitrationUpdate,
    outbox: &Outbox,
    peer: &Peer,
) -> Result<(), Status> {
    let device = shared.device(update.device_id);
    let role = RoleName::from_message(update.role.as_ref());
    if let Ok(device) = &device {
        let right = update.election_id.as_ref().map(|_| Right::Primary);
        shared.check(peer, device, Some(&role), right)?;
    }
    let joined = match joined {
        Some(joined) => match device {
            Ok(device) if Arc::ptr_eq(&device, &joined.device) => joined,
            _ => {
                return Err(Status::failed_precondition(format!(
                    "this stream is for another device than {}; open another stream for it",
                    update.device_id
                )));
            }
        },
        None => {
            let device = device?;
            let client = device.sessions().next_client();
            joined.insert(JoinedDevice { device, client, role: role.clone(), _place: peer.account.hold() })
        }
    };
    let receives = receives(shared, &joined.device, &role, peer);
    joined.device.bid(joined.client, role, update, outbox, peer, receives)
}

/// Returns the messages that a controller's certificate lets it receive as primary of a role.
fn receives(shared: &Shared, device: &Device, role: &RoleName, peer: &Peer) -> Receives {
    let may = |right| shared.check(peer, device, Some(role), right).is_ok();
    Receives { packets: may(Right::PacketIo), others: may(Right::Read) }
}

/// Checks a controller after the permissions have changed. An error ends its stream.
fn check_again(shared: &Shared, joined: Option<&JoinedDevice>, peer: &Peer) -> Result<(), Status> {
    shared.admit(peer)?;
    let Some(JoinedDevice { device, client, role, .. }) = joined else { return Ok(()) };
    let bid = device.sessions().arbitration().client(*client).and_then(|(_, election_id)| election_id);
    shared.check(peer, device, Some(role), bid.map(|_| Right::Primary))?;
    device.sessions().set_receives(*client, receives(shared, device, role, peer));
    Ok(())
}

async fn packet_out(
    shared: &Shared,
    joined: Option<&JoinedDevice>,
    peer: &Peer,
    packet: v1::PacketOut,
) -> Result<(), v1::StreamError> {
    let act = |device: &Device, client, packet: &_| device.packet_out(client, packet);
    let (packet, outcome) = run_in_switch(shared, joined, (peer, Right::PacketIo), packet, act).await;
    let details = Details::PacketOut(v1::PacketOutError { packet_out: packet });
    outcome.map_err(|problem| error(problem.code, problem.message, details))
}

async fn acknowledge(
    shared: &Shared,
    joined: Option<&JoinedDevice>,
    peer: &Peer,
    ack: v1::DigestListAck,
) -> Result<(), v1::StreamError> {
    let act = |device: &Device, client, ack: &v1::DigestListAck| device.acknowledge(client, *ack);
    let (ack, outcome) = run_in_switch(shared, joined, (peer, Right::Read), ack, act).await;
    let details = Details::DigestListAck(v1::DigestListAckError { digest_list_ack: ack });
    outcome.map_err(|problem| error(problem.code, problem.message, details))
}

/// Runs a function that may wait for the switch, if the client has a right. Returns the message
/// together with the result.
async fn run_in_switch<M: Send + 'static>(
    shared: &Shared,
    joined: Option<&JoinedDevice>,
    (peer, right): (&Peer, Right),
    message: M,
    act: impl FnOnce(&Device, ClientId, &M) -> Result<(), Problem> + Send + 'static,
) -> (Option<M>, Result<(), Problem>) {
    let Some(JoinedDevice { device, client, role, .. }) = joined else {
        let why = "this stream takes part in no role yet; send a MasterArbitrationUpdate first";
        return (Some(message), Err(Problem::new(Code::PermissionDenied, why)));
    };
    if let Err(status) = shared.check(peer, device, Some(role), right) {
        return (Some(message), Err(Problem::new(status.code(), status.message())));
    }
    let (device, client) = (Arc::clone(device), *client);
    let work = move || {
        let outcome = act(&device, client, &message);
        Ok((Some(message), outcome))
    };
    let result = shared.calls.blocking(work).await;
    result.unwrap_or_else(|status| (None, Err(Problem::new(Code::Internal, status.message()))))
}

fn error(code: Code, message: String, details: Details) -> v1::StreamError {
    v1::StreamError {
        canonical_code: code as i32,
        message,
        space: String::new(),
        code: 0,
        details: Some(details),
    }
}
