//! Handles the messages on a client's stream, one after the other.

use std::sync::Arc;

use tonic::Status;
use weir_accept::HeldStream;
use weir_grpc::{Messages, Peer};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::stream_message_request::Update as Request;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Response;
use weir_p4runtime_proto::google::rpc;

use crate::outbox::Outbox;
use crate::sessions::Client;
use crate::shared::Shared;

/// A client that has subscribed. It leaves when this value is dropped.
struct Subscribed {
    shared: Arc<Shared>,
    id: u32,
    _place: Option<HeldStream>,
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        self.shared.sessions().leave(self.id);
    }
}

/// Reads a client's messages until it disconnects, the server stops, or a message ends the stream.
pub async fn serve(shared: Arc<Shared>, mut requests: Messages, outbox: Outbox, peer: Peer) {
    let mut subscribed = None;
    let mut stopping = shared.stopping.clone();
    let end = loop {
        let request = tokio::select! {
            () = outbox.closed() => return,
            _ = stopping.wait_for(|stops| *stops) => break Status::unavailable("the server stops"),
            request = requests.next() => request,
        };
        let request = match request {
            Ok(Some(request)) => request.decode::<bfrt::StreamMessageRequest>().await,
            Ok(None) => break Status::ok("the client has closed its stream"),
            Err(status) => break status,
        };
        let request = match request {
            Ok(request) => request.message,
            Err(status) => break status,
        };
        match request.update {
            Some(Request::Subscribe(wanted)) => {
                let id = request.client_id;
                let answer = subscribe(&shared, &mut subscribed, id, &wanted, &outbox, &peer);
                let status = rpc::Status {
                    code: answer.as_ref().map_or_else(|status| status.code() as i32, |()| 0),
                    message: answer.map_or_else(|status| status.message().to_owned(), |()| String::new()),
                    details: Vec::new(),
                };
                let answer = bfrt::Subscribe { status: Some(status), ..wanted };
                if !outbox.send(Response::Subscribe(answer)) {
                    break Status::resource_exhausted("the client does not read its messages");
                }
            }
            Some(Request::DigestAck(_)) => {
                break Status::unimplemented("digests need no acknowledgement (DigestListAck)");
            }
            None => break Status::invalid_argument("the message is empty, or of an unknown kind"),
        }
    };
    drop(subscribed);
    if end.code() != tonic::Code::Ok {
        outbox.fail(end);
    }
}

/// Adds a client.
fn subscribe(
    shared: &Arc<Shared>,
    subscribed: &mut Option<Subscribed>,
    id: u32,
    wanted: &bfrt::Subscribe,
    outbox: &Outbox,
    peer: &Peer,
) -> Result<(), Status> {
    if let Some(known) = subscribed {
        return match known.id == id {
            true => Ok(()),
            false => Err(Status::invalid_argument(format!("the stream is the client {}'s", known.id))),
        };
    }
    let device = shared.device(wanted.device_id)?;
    let client = Client {
        device: device.number,
        wants: wanted.notifications.unwrap_or_default(),
        outbox: outbox.clone(),
        is_bound: false,
    };
    shared.sessions().subscribe(id, client)?;
    *subscribed = Some(Subscribed { shared: Arc::clone(shared), id, _place: peer.account.hold() });
    device.log(&format!("client {id} at {} has subscribed", peer.description()));
    Ok(())
}
