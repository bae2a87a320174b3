//! Makes gRPC calls with arbitrary bytes as messages.

use prost::bytes::{Buf, BufMut};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

/// Passes messages through as bytes.
#[derive(Clone, Copy, Default)]
pub struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, bytes: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&bytes);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = vec![0; from.remaining()];
        from.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}

fn path(call: &str) -> PathAndQuery {
    format!("/p4.v1.P4Runtime/{call}").parse().expect("it is a path")
}

/// Calls a procedure with a message that has these bytes.
pub async fn call(channel: &Channel, call: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.expect("the server takes calls");
    Ok(grpc.unary(Request::new(bytes), path(call), Raw).await?.into_inner())
}

/// Calls a procedure like [`call`], for answers with several messages.
pub async fn read(channel: &Channel, bytes: Vec<u8>) -> (Vec<Vec<u8>>, Result<(), Status>) {
    let mut grpc = Grpc::new(channel.clone()).max_decoding_message_size(usize::MAX);
    grpc.ready().await.expect("the server takes calls");
    let mut parts = Vec::new();
    let mut stream = match grpc.server_streaming(Request::new(bytes), path("Read"), Raw).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return (parts, Err(status)),
    };
    loop {
        match stream.message().await {
            Ok(Some(part)) => parts.push(part),
            Ok(None) => return (parts, Ok(())),
            Err(status) => return (parts, Err(status)),
        }
    }
}

/// Opens a stream and sends these messages.
pub async fn stream(channel: &Channel, messages: Vec<Vec<u8>>) -> Result<Streaming<Vec<u8>>, Status> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.expect("the server takes calls");
    let messages = tokio_stream::iter(messages);
    Ok(grpc.streaming(Request::new(messages), path("StreamChannel"), Raw).await?.into_inner())
}
