//! Handles the calls of BfRt.

use std::sync::Arc;

use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::{Code, Request, Response, Status, Streaming};
use weir_grpc::{Answer, AnswerHeld, Arriving, ErrorForm, Parts, Peer, Problem, status_of_parts};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::bf_runtime_server::BfRuntime;
use weir_p4runtime_proto::bfrt::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime_proto::bfrt::stream_message_response::Update;
use weir_p4runtime_proto::bfrt::update::Type;

use crate::device::{Device, Prepared};
use crate::entities::{Outcome, Reads, Writes};
use crate::outbox::{Outgoing, outbox};
use crate::shared::{Shared, check_name};
use crate::stream;

/// The memory of an answer that is sent at once, as a multiple of its size.
const ANSWER: usize = 4;

/// The errors in the details of a status. Clients of BfRt accept long trailers, and need the
/// details.
const ERRORS: ErrorForm =
    ErrorForm { type_url: "type.googleapis.com/bfrt_proto.Error", has_all: false, trailer_bytes: 1 << 20 };

/// The name of the only profile of a program.
const PROFILE: &str = "pipe";

/// The service of one server. The generated code passes empty messages as requests; the messages
/// from clients are in the requests' extensions.
#[derive(Clone)]
pub struct Service(pub Arc<Shared>);

/// The fields of a write that name its client.
#[derive(Clone, PartialEq, Message)]
struct Writer {
    #[prost(message, optional, tag = "1")]
    target: Option<bfrt::TargetDevice>,
    #[prost(uint32, tag = "2")]
    client_id: u32,
    #[prost(string, tag = "5")]
    p4_name: String,
}

/// The fields of a read that name its client.
#[derive(Clone, PartialEq, Message)]
struct Reader {
    #[prost(message, optional, tag = "1")]
    target: Option<bfrt::TargetDevice>,
    #[prost(uint32, tag = "2")]
    client_id: u32,
    #[prost(string, tag = "4")]
    p4_name: String,
}

/// Returns the client that sent a request.
fn peer<T>(request: &Request<T>) -> Result<Peer, Status> {
    let peer = Peer::from_extensions(request.extensions());
    peer.cloned().ok_or_else(|| Status::internal("no connection"))
}

/// The form in which a request wants its errors, by its metadata.
#[derive(Clone, Copy)]
struct Wishes {
    /// The outcomes are in the answer. A read then has the status OK.
    in_answer: bool,
    /// A missing entry cannot make its removal fail.
    ignores_missing: bool,
}

impl Wishes {
    fn new(metadata: &MetadataMap) -> Self {
        let is_set = |name: &str| metadata.get(name).is_some_and(|value| value.as_bytes() == b"1");
        Self { in_answer: is_set("error_in_resp"), ignores_missing: is_set("ignore_not_found") }
    }
}

/// Makes an outcome. `code` tells what happened to an update that is not a failure.
fn outcome(problem: Option<&Problem>, code: Code) -> bfrt::Error {
    bfrt::Error {
        canonical_code: problem.map_or(0, |problem| problem.code as i32),
        message: problem.map(|problem| problem.message.clone()).unwrap_or_default(),
        space: String::new(),
        code: code as i32,
    }
}

/// Makes the answer to a write.
fn written(
    writes: Writes,
    request: &bfrt::WriteRequest,
    wishes: Wishes,
) -> Result<bfrt::WriteResponse, Status> {
    let is_ignored = |at: usize, problem: &Problem| {
        let removes = request.updates.get(at).is_some_and(|update| update.r#type() == Type::Delete);
        wishes.ignores_missing && removes && problem.code == Code::NotFound
    };
    let mut failed = writes.failed();
    failed.retain(|(at, problem)| !is_ignored(*at, problem));
    if !failed.is_empty() {
        return Err(status_of_parts(ERRORS, "update", request.updates.len(), &failed));
    }
    let status = writes.outcomes.iter().map(|made| match made {
        Ok(Outcome::Made) => outcome(None, Code::Ok),
        Ok(Outcome::Modified) => outcome(None, Code::AlreadyExists),
        Err(_) => outcome(None, Code::NotFound),
    });
    let is_wanted = wishes.in_answer || wishes.ignores_missing;
    Ok(bfrt::WriteResponse { status: if is_wanted { status.collect() } else { Vec::new() } })
}

#[tonic::async_trait]
impl BfRuntime for Service {
    async fn write(
        &self,
        request: Request<bfrt::WriteRequest>,
    ) -> Result<Response<bfrt::WriteResponse>, Status> {
        let wishes = Wishes::new(request.metadata());
        let received = Arriving::take(request.extensions())?.only().await?;
        received.check_parts()?;
        let writer: Writer = received.some_fields()?;
        let target = writer.target.map(|target| target.device_id);
        let device = self.0.device_of(writer.client_id, target, &writer.p4_name)?;
        let decodable = self.0.calls.decodable::<bfrt::WriteRequest>(received).await?;
        let work = move || {
            let request = decodable.decode::<bfrt::WriteRequest>()?;
            let writes = device.write(&request.message, wishes.ignores_missing)?;
            written(writes, &request.message, wishes).map(Response::new)
        };
        self.0.calls.blocking(work).await
    }

    type ReadStream = Parts<bfrt::ReadResponse>;

    async fn read(&self, request: Request<bfrt::ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let wishes = Wishes::new(request.metadata());
        let received = Arriving::take(request.extensions())?.only().await?;
        received.check_parts()?;
        let account = received.account.clone();
        let reader: Reader = received.some_fields()?;
        let target = reader.target.map(|target| target.device_id);
        let device = self.0.device_of(reader.client_id, target, &reader.p4_name)?;
        let decodable = self.0.calls.decodable::<bfrt::ReadRequest>(received).await?;
        let request = self.0.calls.blocking(move || decodable.decode::<bfrt::ReadRequest>()).await?;
        let (mut answer, parts) = Answer::new(account, Arc::clone(&self.0.answers));
        let (shared, failing) = (Arc::clone(&self.0), answer.failing());
        tokio::spawn(async move {
            // The lock of the switch is released before the server waits for a reader.
            let limits = shared.reads;
            let read = shared.calls.blocking(move || {
                let count = request.message.entities.len();
                let reads = device.read(&request.message, limits, &mut |part| answer.add(part));
                let end = reads.and_then(|reads| finish(reads, count, wishes, &mut answer));
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
        request: Request<bfrt::SetForwardingPipelineConfigRequest>,
    ) -> Result<Response<bfrt::SetForwardingPipelineConfigResponse>, Status> {
        let peer = peer(&request)?;
        let received = Arriving::take(request.extensions())?.only().await?;
        let request = received.decode::<bfrt::SetForwardingPipelineConfigRequest>().await?.message;
        let device = self.0.device(request.device_id)?;
        if request.action() == Action::Bind {
            return self.bind(&device, &request, &peer);
        }
        let shared = Arc::clone(&self.0);
        self.0.calls.blocking(move || set_program(&shared, &device, &request)).await
    }

    async fn get_forwarding_pipeline_config(
        &self,
        request: Request<bfrt::GetForwardingPipelineConfigRequest>,
    ) -> Result<Response<bfrt::GetForwardingPipelineConfigResponse>, Status> {
        let received = Arriving::take(request.extensions())?.only().await?;
        let account = received.account.clone();
        let request = received.decode::<bfrt::GetForwardingPipelineConfigRequest>().await?.message;
        let device = self.0.device(request.device_id)?;
        let described = self.0.calls.blocking(move || device.describe()).await?;
        let bytes = described.info.program.len() + described.info.fixed.len() + described.program.len();
        let held = account.take(bytes.saturating_mul(ANSWER)).await?;
        let profile = bfrt::forwarding_pipeline_config::Profile {
            profile_name: PROFILE.to_owned(),
            context: Vec::new(),
            binary: described.program,
            pipe_scope: vec![0],
        };
        let config = bfrt::ForwardingPipelineConfig {
            p4_name: described.name,
            bfruntime_info: described.info.program.clone().into_bytes(),
            profiles: vec![profile],
        };
        let non_p4 = bfrt::NonP4Config { bfruntime_info: described.info.fixed.clone().into_bytes() };
        let mut answer = Response::new(bfrt::GetForwardingPipelineConfigResponse {
            config: vec![config],
            non_p4_config: Some(non_p4),
        });
        answer.extensions_mut().insert(AnswerHeld(Arc::new(held)));
        Ok(answer)
    }

    type StreamChannelStream = Outgoing;

    async fn stream_channel(
        &self,
        request: Request<Streaming<bfrt::StreamMessageRequest>>,
    ) -> Result<Response<Outgoing>, Status> {
        let peer = peer(&request)?;
        let requests = Arriving::take(request.extensions())?;
        let (outbox, outgoing) = outbox(self.0.queued_messages, peer.account.clone());
        tokio::spawn(stream::serve(Arc::clone(&self.0), requests, outbox, peer));
        Ok(Response::new(outgoing))
    }
}

impl Service {
    /// Binds a client to a program.
    fn bind(
        &self,
        device: &Device,
        request: &bfrt::SetForwardingPipelineConfigRequest,
        peer: &Peer,
    ) -> Result<Response<bfrt::SetForwardingPipelineConfigResponse>, Status> {
        let [config] = request.config.as_slice() else {
            let count = request.config.len();
            return Err(Status::invalid_argument(format!("BIND needs one `config`, not {count}")));
        };
        check_name(device, &config.p4_name)?;
        self.0.sessions().bind(request.client_id, device.number)?;
        let (id, name) = (request.client_id, &config.p4_name);
        device.log(&format!("client {id} at {} is bound to {name}", peer.description()));
        Ok(Response::new(bfrt::SetForwardingPipelineConfigResponse::default()))
    }
}

/// Ends the answer to a read.
fn finish(
    reads: Reads,
    count: usize,
    wishes: Wishes,
    answer: &mut Answer<bfrt::ReadResponse>,
) -> Result<(), Status> {
    let Reads { failed } = reads;
    if failed.is_empty() {
        return Ok(());
    }
    if wishes.in_answer {
        let last = failed.last().map_or(0, |(at, _)| at + 1);
        let mut status = vec![outcome(None, Code::Ok); last];
        for (at, problem) in &failed {
            status[*at] = outcome(Some(problem), Code::Ok);
        }
        let _nobody_reads = answer.add(bfrt::ReadResponse { entities: Vec::new(), status });
        return Ok(());
    }
    Err(status_of_parts(ERRORS, "entity", count, &failed))
}

/// Verifies a program, makes clients control it, or starts it.
fn set_program(
    shared: &Shared,
    device: &Device,
    request: &bfrt::SetForwardingPipelineConfigRequest,
) -> Result<Response<bfrt::SetForwardingPipelineConfigResponse>, Status> {
    use bfrt::SetForwardingPipelineConfigResponseType as Kind;
    let done = |kind: Kind| {
        let kind = kind as i32;
        let done =
            bfrt::SetForwardingPipelineConfigResponse { set_forwarding_pipeline_config_response_type: kind };
        shared.tell(device.number, &[Update::SetForwardingPipelineConfigResponse(done)]);
        done
    };
    let action = request.action();
    match action {
        Action::Verify => prepare(device, request).map(drop)?,
        Action::VerifyAndWarmInitBegin | Action::VerifyAndWarmInitBeginAndEnd => {
            let before = device.program_name();
            let has_stream = |client| shared.sessions().has_stream(client);
            device.begin(prepare(device, request)?, has_stream)?;
            // A client of another program has nothing to control any more.
            if device.program_name() != before {
                shared.sessions().unbind(device.number);
            }
            done(Kind::WarmInitStarted);
        }
        Action::WarmInitEnd if !request.config.is_empty() => {
            return Err(Status::invalid_argument(
                "WARM_INIT_END starts the program that waits: leave `config` out",
            ));
        }
        Action::WarmInitEnd => {}
        action => return Err(Status::unimplemented(format!("{} is not supported", action.as_str_name()))),
    }
    if matches!(action, Action::WarmInitEnd | Action::VerifyAndWarmInitBeginAndEnd) {
        device.end()?;
        device.log(&format!("client {} has started {}", request.client_id, device.program_name()));
        return Ok(Response::new(done(Kind::WarmInitFinished)));
    }
    Ok(Response::new(bfrt::SetForwardingPipelineConfigResponse::default()))
}

/// Checks the program of a request. Each profile of the program has the whole program.
fn prepare(device: &Device, request: &bfrt::SetForwardingPipelineConfigRequest) -> Result<Prepared, Status> {
    let [config] = request.config.as_slice() else {
        let count = request.config.len();
        return Err(Status::invalid_argument(format!("a switch runs one program; the request has {count}")));
    };
    let mut programs = config.profiles.iter().map(|profile| profile.binary.as_slice());
    let first = programs.next().unwrap_or_default();
    if programs.any(|other| other != first) {
        return Err(Status::invalid_argument(
            "the profiles have different programs: each needs the whole program",
        ));
    }
    device.prepare(request.client_id, &config.p4_name, first)
}
