//! Any bytes as messages of P4Runtime. What is said about their memory before they are decoded must
//! hold, and numbers and translated values must be read or refused.

use prost::{Message, Name};
use weir_p4runtime_proto::v1::{
    PacketOut, ReadRequest, SetForwardingPipelineConfigRequest, StreamMessageRequest, WriteRequest,
    stream_message_request,
};
use weir_p4runtime_proto::{config, decoded_bytes, has_few_parts};

const LIMIT: usize = 64 << 20;

pub fn run(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    match kind % 5 {
        0 => drop(decoded::<WriteRequest>(bytes)),
        1 => drop(decoded::<ReadRequest>(bytes)),
        2 => drop(decoded::<SetForwardingPipelineConfigRequest>(bytes)),
        3 => drop(decoded::<config::P4Info>(bytes)),
        _ => {
            let message = decoded::<StreamMessageRequest>(bytes).and_then(|message| message.update);
            if let Some(stream_message_request::Update::Packet(PacketOut { payload, metadata })) = message {
                assert!(payload.len() + metadata.len() <= bytes.len());
            }
        }
    }
}

/// The message, if the server would decode it.
fn decoded<M: Message + Name + Default>(bytes: &[u8]) -> Option<M> {
    if !has_few_parts(bytes) {
        return None;
    }
    let memory = decoded_bytes::<M>(bytes, LIMIT).ok()?;
    assert!(memory >= size_of::<M>() && memory <= LIMIT);
    let message = M::decode(bytes).ok()?;
    let again = message.encode_to_vec();
    // The memory of a message does not depend on how it was written, except for its lists.
    assert!(decoded_bytes::<M>(&again, LIMIT).is_ok_and(|own| own <= memory), "{memory} bytes");
    assert!(M::decode(&again[..]).is_ok_and(|same| same.encode_to_vec() == again));
    Some(message)
}
