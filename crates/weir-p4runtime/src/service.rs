//! Handles the calls of P4Runtime.

use std::sync::Arc;

use tonic::{Extensions, Request, Response, Status, Streaming};
use weir_grpc::{Answer, AnswerHeld, Arriving, Decoded, Parts, Peer, Received};

use crate::device::Device;
use crate::permissions::Right;
use crate::proto::v1;
use crate::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::proto::v1::p4_runtime_server::P4Runtime;
use crate::requester::{Reader, Writer};
use crate::sessions::{Outgoing, RoleName, outbox};
use crate::shared::Shared;
use crate::stream;

/// The version of the protocol.
const VERSION: &str = "1.5.0";

/// The memory of an answer that is sent at once, as a multiple of its size: the message, its
/// encoded form, and a second buffer while the encoded form grows.
const ANSWER: usize = 4;

/// The service of one server. The generated code passes empty messages as requests; the messages
/// from clients are in the requests' extensions.
#[derive(Clone)]
pub struct Service(pub Arc<Shared>);

impl Service {
    /// Admits the client that sent a request, before the server reads the request.
    fn admit(&self, extensions: &Extensions) -> Result<Peer, Status> {
        let peer = Peer::from_extensions(extensions).ok_or_else(|| Status::internal("no connection"))?;
        self.0.admit(peer)?;
        Ok(peer.clone())
    }

    /// Returns the device, the role and the election id of a request that changes something, if it
    /// comes from the role's primary and the client has this right. Other requests are refused
    /// before they are decoded.
    fn writer(
        &self,
        peer: &Peer,
        right: Right,
        received: &Received,
    ) -> Result<(Arc<Device>, RoleName, Option<v1::Uint128>), Status> {
        let writer = Writer::of(received)?;
        let device = self.0.device(writer.device_id)?;
        let role = writer.role();
        self.0.check(peer, &device, Some(&role), right)?;
        drop(device.begin_write(role.clone(), writer.election_id.as_ref())?);
        Ok((device, role, writer.election_id))
    }
}

#[tonic::async_trait]
impl P4Runtime for Service {
    async fn write(&self, request: Request<v1::WriteRequest>) -> Result<Response<v1::WriteResponse>, Status> {
        let peer = self.admit(request.extensions())?;
        let received = Arriving::take(request.extensions())?.only().await?;
        let (device, role, election_id) = self.writer(&peer, Right::Write, &received)?;
        let decodable = self.0.calls.decodable::<v1::WriteRequest>(received).await?;
        let work = move || {
            let permit = device.begin_write(role, election_id.as_ref())?;
            let request = decodable.decode()?;
            device.write(&request.message, &permit)?;
            Ok(Response::new(v1::WriteResponse {}))
        };
        self.0.calls.blocking(work).await
    }

    type ReadStream = Parts<v1::ReadResponse>;

    async fn read(&self, request: Request<v1::ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let peer = self.admit(request.extensions())?;
        let received = Arriving::take(request.extensions())?.only().await?;
        let account = received.account.clone();
        let reader: Reader = received.some_fields()?;
        let device = self.0.device(reader.device_id)?;
        self.0.check(&peer, &device, Some(&RoleName::new(&reader.role, 0)), Right::Read)?;
        let decodable = self.0.calls.decodable::<v1::ReadRequest>(received).await?;
        let request = self.0.calls.blocking(move || decodable.decode::<v1::ReadRequest>()).await?;
        let (mut answer, parts) = Answer::new(account, Arc::clone(&self.0.answers));
        let (shared, failing) = (Arc::clone(&self.0), answer.failing());
        tokio::spawn(async move {
            // The lock of the switch is released before the server waits for a reader.
            let limits = shared.reads;
            let read = shared.calls.blocking(move || {
                let end = device.read(&request.message, limits, &mut |part| answer.add(part));
                Ok((answer, end))
            });
            match read.await {
                Ok((answer, end)) => answer.finish(end, shared.reading).await,
                Err(status) => failing.fail(status).await,
            }
        });
        Ok(Response::new(parts))
    }

    async fn set_forwarding_pipeline_config(
        &self,
        request: Request<v1::SetForwardingPipelineConfigRequest>,
    ) -> Result<Response<v1::SetForwardingPipelineConfigResponse>, Status> {
        let peer = self.admit(request.extensions())?;
        let received = Arriving::take(request.extensions())?.only().await?;
        let shared = Arc::clone(&self.0);
        // Requests from clients other than the primary are refused at once.
        let (device, role, election_id) = self.writer(&peer, Right::Pipeline, &received)?;
        let decodable = shared.calls.decodable::<v1::SetForwardingPipelineConfigRequest>(received).await?;
        let turn = device.turn_to_change_program().await;
        let work = move || {
            // The primary may have changed while others changed the program. If it changes again
            // while this program is compiled, the new primary does not wait for the compilation.
            drop(device.begin_program_change(role.clone(), election_id.as_ref())?);
            let Decoded { message: request, held } =
                decodable.decode::<v1::SetForwardingPipelineConfigRequest>()?;
            let change = device.prepare_program(&turn, &shared.tools, request.action(), request.config)?;
            let _permit = device.begin_program_change(role, election_id.as_ref())?;
            device.change_program(&turn, change)?;
            drop(held);
            Ok(Response::new(v1::SetForwardingPipelineConfigResponse {}))
        };
        self.0.calls.blocking(work).await
    }

    async fn get_forwarding_pipeline_config(
        &self,
        request: Request<v1::GetForwardingPipelineConfigRequest>,
    ) -> Result<Response<v1::GetForwardingPipelineConfigResponse>, Status> {
        let peer = self.admit(request.extensions())?;
        let received = Arriving::take(request.extensions())?.only().await?;
        let account = received.account.clone();
        let request = received.decode::<v1::GetForwardingPipelineConfigRequest>().await?.message;
        let device = self.0.device(request.device_id)?;
        self.0.check(&peer, &device, None, Right::Read)?;
        let parts = ResponseType::try_from(request.response_type)
            .map_err(|_| Status::invalid_argument("there is no such response_type"))?;
        let held = account.take(device.program_bytes(parts).saturating_mul(ANSWER)).await?;
        let work = move || {
            let config = device.program(parts);
            let mut answer = Response::new(v1::GetForwardingPipelineConfigResponse { config });
            answer.extensions_mut().insert(AnswerHeld(Arc::new(held)));
            Ok(answer)
        };
        self.0.calls.blocking(work).await
    }

    type StreamChannelStream = Outgoing;

    async fn stream_channel(
        &self,
        request: Request<Streaming<v1::StreamMessageRequest>>,
    ) -> Result<Response<Outgoing>, Status> {
        let peer = self.admit(request.extensions())?;
        let requests = Arriving::take(request.extensions())?;
        let (outbox, outgoing) = outbox(self.0.outbox, peer.account.clone());
        tokio::spawn(stream::serve(Arc::clone(&self.0), requests, outbox, peer));
        Ok(Response::new(outgoing))
    }

    async fn capabilities(
        &self,
        request: Request<v1::CapabilitiesRequest>,
    ) -> Result<Response<v1::CapabilitiesResponse>, Status> {
        self.admit(request.extensions())?;
        let received = Arriving::take(request.extensions())?.only().await?;
        // The id 0 requests the capabilities of the server itself.
        let device_id = received.decode::<v1::CapabilitiesRequest>().await?.message.device_id;
        if device_id != 0 {
            self.0.device(device_id)?;
        }
        let p4runtime_api_version = VERSION.to_owned();
        Ok(Response::new(v1::CapabilitiesResponse { p4runtime_api_version, experimental: None }))
    }
}
