//! Decodes the messages of clients if they fit in a bounded amount of memory. A message can take
//! hundreds of times its length in memory: an empty update has two bytes on the wire and several
//! hundred in memory.

use std::marker::PhantomData;

use prost::bytes::Buf;
use prost::encoding::{WireType, decode_key, decode_varint};
use prost::{Message, Name};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::ProstCodec;

/// The maximum memory of a client's message in bytes: about 900 000 table entries with a key and an
/// argument each.
const MAX_BYTES: usize = 512 << 20;

/// The codec of the server: prost's, with a bound on the memory of decoded messages.
pub struct BoundedCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for BoundedCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for BoundedCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Name + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = <ProstCodec<T, U> as Codec>::Encoder;
    type Decoder = BoundedDecoder<<ProstCodec<T, U> as Codec>::Decoder>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::default().encoder()
    }

    fn decoder(&mut self) -> Self::Decoder {
        let shape = place(&U::full_name());
        BoundedDecoder { decoder: ProstCodec::<T, U>::default().decoder(), shape }
    }
}

/// Decodes messages of one type.
pub struct BoundedDecoder<D> {
    decoder: D,
    /// The index of the type's shape.
    shape: usize,
}

impl<D: Decoder<Error = Status>> Decoder for BoundedDecoder<D> {
    type Item = D::Item;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<D::Item>, Status> {
        let mut left = MAX_BYTES;
        if take(self.shape, source.chunk(), &mut left, DEPTH).is_none() {
            return Err(Status::resource_exhausted(format!(
                "the message would take more than {} MiB of memory: send several with fewer parts",
                MAX_BYTES >> 20
            )));
        }
        self.decoder.decode(source)
    }
}

/// The maximum nesting depth of messages: prost does not decode deeper ones.
const DEPTH: u32 = 100;

/// The memory layout of a decoded message.
struct Shape {
    /// The message's full name.
    name: &'static str,
    /// The size in bytes, without the memory that it points to.
    size: usize,
    /// The fields with messages, by number: the index of the shape, and whether it is a list.
    messages: &'static [(u32, usize, bool)],
}

// From the build script: `SHAPES`, all shapes by name, and `POINTERS`, the size of an element in a
// list of bytes or strings.
include!(concat!(env!("OUT_DIR"), "/shapes.rs"));

/// The index of a message's shape.
fn place(name: &str) -> usize {
    let place = SHAPES.binary_search_by_key(&name, |shape| shape.name);
    place.expect("the build script writes all messages")
}

/// Subtracts the memory that a message will point to from `left`; none if `left` is too small.
/// Bytes that are not a message are left to the decoder, which reports what is wrong.
fn take(shape: usize, mut bytes: &[u8], left: &mut usize, depth: u32) -> Option<()> {
    let Some(depth) = depth.checked_sub(1) else { return Some(()) };
    while bytes.has_remaining() {
        let Ok((number, wire)) = decode_key(&mut bytes) else { return Some(()) };
        let length = match wire {
            WireType::Varint => {
                // Each number in a list takes up to eight bytes.
                *left = left.checked_sub(8)?;
                if decode_varint(&mut bytes).is_err() {
                    return Some(());
                }
                continue;
            }
            WireType::SixtyFourBit => 8,
            WireType::ThirtyTwoBit => 4,
            WireType::LengthDelimited => decode_varint(&mut bytes).unwrap_or(u64::MAX),
            WireType::StartGroup | WireType::EndGroup => return Some(()),
        };
        let Some((inner, rest)) = usize::try_from(length).ok().and_then(|at| bytes.split_at_checked(at))
        else {
            return Some(());
        };
        bytes = rest;
        match SHAPES[shape].messages.iter().find(|field| field.0 == number) {
            Some(&(_, index, is_list)) => {
                // A message that is not in a list is a part of this message.
                let size = if is_list { SHAPES[index].size } else { 0 };
                *left = left.checked_sub(size)?;
                take(index, inner, left, depth)?;
            }
            // Packed numbers have at least a byte each, and up to eight in memory.
            None => *left = left.checked_sub(POINTERS + inner.len())?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1;

    /// The memory that is left after a message is decoded.
    fn left<M: Message + Name>(message: &M) -> Option<usize> {
        left_of(&M::full_name(), &message.encode_to_vec())
    }

    fn left_of(name: &str, bytes: &[u8]) -> Option<usize> {
        let mut left = MAX_BYTES;
        take(place(name), bytes, &mut left, DEPTH).map(|()| left)
    }

    #[test]
    fn estimates_are_near_the_sizes_of_types() {
        let size = |name: &str| SHAPES[place(name)].size;
        for (name, exact) in [
            ("p4.v1.Update", size_of::<v1::Update>()),
            ("p4.v1.Entity", size_of::<v1::Entity>()),
            ("p4.v1.TableEntry", size_of::<v1::TableEntry>()),
            ("p4.v1.FieldMatch", size_of::<v1::FieldMatch>()),
            ("p4.v1.P4Data", size_of::<v1::P4Data>()),
        ] {
            let estimate = size(name);
            assert!((exact / 2..=exact * 2).contains(&estimate), "{name}: {estimate}, exactly {exact}");
        }
    }

    #[test]
    fn small_messages_that_grow_are_refused() {
        let of =
            |count| v1::WriteRequest { updates: vec![v1::Update::default(); count], ..Default::default() };
        assert!(left(&of(100_000)).is_some());
        let bytes = [0x22, 0].repeat(1 << 21);
        assert_eq!(left_of("p4.v1.WriteRequest", &bytes), None, "two million empty updates in 4 MiB");
        let bytes = [0x12, 0].repeat(1 << 25);
        assert_eq!(left_of("p4.v1.TableEntry", &bytes), None, "empty fields of a key");
        let config = vec![0; 60 << 20];
        let config = v1::ForwardingPipelineConfig { p4_device_config: config, ..Default::default() };
        assert!(left(&config).is_some_and(|left| left > MAX_BYTES - (61 << 20)));
    }

    #[test]
    fn invalid_messages_are_left_to_the_decoder() {
        for bytes in [&[0x22][..], &[0x22, 5, 1], &[0xff; 20], &[0x23, 0x24], &[0x08], &[0x21, 1], &[0x25]] {
            assert!(left_of("p4.v1.WriteRequest", bytes).is_some(), "{bytes:?}");
        }
        // Data in data in data, deeper than prost decodes.
        let mut bytes = Vec::new();
        for _ in 0..200 {
            let mut outer = vec![0x22];
            prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
            outer.extend(&bytes);
            bytes = outer;
        }
        assert!(left_of("p4.v1.P4Data", &bytes).is_some());
    }
}
