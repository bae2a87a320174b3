//! The calls of P4Runtime.

use std::sync::Arc;

use tonic::{Request, Response, Status, Streaming};

use crate::answer::{Answer, Parts};
use crate::peer::peer;
use crate::proto::v1;
use crate::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::proto::v1::p4_runtime_server::P4Runtime;
use crate::sessions::{Outgoing, RoleName, outbox};
use crate::shared::Shared;
use crate::stream;

/// The version of the protocol.
const VERSION: &str = "1.5.0";

/// The service of one server.
#[derive(Clone)]
pub struct Service(pub Arc<Shared>);

#[tonic::async_trait]
impl P4Runtime for Service {
    async fn write(&self, request: Request<v1::WriteRequest>) -> Result<Response<v1::WriteResponse>, Status> {
        let request = request.into_inner();
        let device = self.0.device(request.device_id)?;
        let work = move || {
            #[expect(deprecated, reason = "controllers of protocol versions before 1.4 give numbers")]
            let role = RoleName::new(&request.role, request.role_id);
            let permit = device.begin_write(role, request.election_id.as_ref())?;
            device.write(&request, &permit)?;
            Ok(Response::new(v1::WriteResponse {}))
        };
        self.0.blocking(work).await
    }

    type ReadStream = Parts;

    async fn read(&self, request: Request<v1::ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let request = request.into_inner();
        let device = self.0.device(request.device_id)?;
        let (mut answer, parts) = Answer::new(Arc::clone(&self.0.answers));
        let (shared, failing) = (Arc::clone(&self.0), answer.failing());
        tokio::spawn(async move {
            // The switch is released before the server waits for a reader.
            let limits = shared.reads;
            let read = shared.blocking(move || {
                let end = device.read(&request, limits, &mut |part| answer.add(part));
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
        let request = request.into_inner();
        let shared = Arc::clone(&self.0);
        let device = shared.device(request.device_id)?;
        #[expect(deprecated, reason = "controllers of protocol versions before 1.4 give numbers")]
        let role = RoleName::new(&request.role, request.role_id);
        // Requests from clients other than the primary are refused at once.
        drop(device.begin_write(role.clone(), request.election_id.as_ref())?);
        let turn = device.turn_to_change_program().await;
        let work = move || {
            let permit = device.begin_write(role, request.election_id.as_ref())?;
            if permit.config.as_ref().is_some_and(|config| !config.pipeline) {
                return Err(Status::permission_denied(
                    "this role may not change the program (can_push_pipeline)",
                ));
            }
            device.set_program(&turn, &shared.tools, request.action(), request.config)?;
            Ok(Response::new(v1::SetForwardingPipelineConfigResponse {}))
        };
        self.0.blocking(work).await
    }

    async fn get_forwarding_pipeline_config(
        &self,
        request: Request<v1::GetForwardingPipelineConfigRequest>,
    ) -> Result<Response<v1::GetForwardingPipelineConfigResponse>, Status> {
        let request = request.into_inner();
        let device = self.0.device(request.device_id)?;
        let parts = ResponseType::try_from(request.response_type)
            .map_err(|_| Status::invalid_argument("there is no such response_type"))?;
        let work = move || {
            let config = device.program(parts);
            Ok(Response::new(v1::GetForwardingPipelineConfigResponse { config }))
        };
        self.0.blocking(work).await
    }

    type StreamChannelStream = Outgoing;

    async fn stream_channel(
        &self,
        request: Request<Streaming<v1::StreamMessageRequest>>,
    ) -> Result<Response<Outgoing>, Status> {
        let peer = peer(request.extensions());
        let (outbox, outgoing) = outbox(self.0.outbox);
        tokio::spawn(stream::serve(Arc::clone(&self.0), request.into_inner(), outbox, peer));
        Ok(Response::new(outgoing))
    }

    async fn capabilities(
        &self,
        request: Request<v1::CapabilitiesRequest>,
    ) -> Result<Response<v1::CapabilitiesResponse>, Status> {
        // 0 asks for the capabilities of the server itself.
        let device_id = request.get_ref().device_id;
        if device_id != 0 {
            self.0.device(device_id)?;
        }
        let p4runtime_api_version = VERSION.to_owned();
        Ok(Response::new(v1::CapabilitiesResponse { p4runtime_api_version, experimental: None }))
    }
}
