//! Wraps the service to limit its memory. Each call reserves memory, and the messages of the call
//! must fit in the budget. The bytes of the answer count towards the budget until they are sent.

use std::convert::Infallible;
use std::task::{Context, Poll};

use http_body_util::{BodyExt, Full};
use prost::bytes::Bytes;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;

use crate::budget::Held;
use crate::peer::Peer;
use crate::received::{MessageLimits, Messages};

/// The memory of a call in bytes: its headers, its task and its buffers, but not its messages.
const CALL_BYTES: usize = 32 << 10;
/// The maximum length of a message on a stream: bids with their configs, packets.
const MAX_STREAM_MESSAGE: usize = 1 << 20;
/// An empty gRPC message. The generated code decodes it in place of the client's message.
const EMPTY_MESSAGE: &[u8] = &[0; 5];

/// The memory of an answer until it is sent. A service puts this value into the answer's
/// extensions.
#[derive(Clone)]
pub struct AnswerHeld(pub std::sync::Arc<Held>);

/// A service whose calls count towards the budget.
#[derive(Clone)]
pub struct Metered<S> {
    /// The service.
    pub service: S,
    /// The sizes of messages.
    pub limits: MessageLimits,
}

impl<S: NamedService> NamedService for Metered<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Metered<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (mut service, MessageLimits { longest, part }) = (self.service.clone(), self.limits);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let Some(peer) = Peer::from_extensions(&parts.extensions) else {
                return Ok(tonic::Status::internal("the connection is not known").into_http());
            };
            peer.ask();
            let account = peer.account.clone();
            let held = match account.take(CALL_BYTES).await {
                Ok(held) => held,
                Err(status) => return Ok(status.into_http()),
            };
            let is_stream = parts.uri.path().ends_with("/StreamChannel");
            let longest = if is_stream { longest.min(MAX_STREAM_MESSAGE) } else { longest };
            parts
                .extensions
                .insert(Messages::new(body, account.clone(), MessageLimits { longest, part }).arriving());
            let nothing = if is_stream { &[] } else { EMPTY_MESSAGE };
            let body = Body::new(Full::new(Bytes::from_static(nothing)));
            let mut answer = service.call(Request::from_parts(parts, body)).await?;
            let message = answer.extensions_mut().remove::<AnswerHeld>();
            Ok(answer.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let (_held, _message) = (&held, &message);
                    // The reservation for the encoded message has just been released.
                    frame.map_data(|bytes| account.take_anyway(bytes.len()).with(bytes))
                }))
            }))
        })
    }
}
