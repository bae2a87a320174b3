//! Computes the memory that a client's message will take, before the message is decoded. A decoded
//! message can take hundreds of times its encoded length: an empty update takes two bytes on the
//! wire and several hundred in memory.

use std::marker::PhantomData;

use prost::bytes::Buf;
use prost::encoding::{WireType, decode_key, decode_varint};
use prost::{Message, Name};
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// The bytes that are first reserved for an answer to a client. The size is small because a server
/// can have thousands of streams with short answers.
const FIRST_BUFFER_BYTES: usize = 512;

/// The number of bytes of an answer that are sent together.
const SEND_BUFFER_BYTES: usize = 32 << 10;

/// The codec of the server: prost's, with small buffers. The server itself receives and decodes the
/// messages of clients, and passes empty messages to the generated code.
pub struct ServerCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for ServerCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for ServerCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = <ProstCodec<T, U> as Codec>::Encoder;
    type Decoder = <ProstCodec<T, U> as Codec>::Decoder;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::new(FIRST_BUFFER_BYTES, SEND_BUFFER_BYTES))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::new(BufferSettings::new(0, 0))
    }
}

/// The maximum number of fields at the top level of a message, such as its updates.
pub const MAX_PARTS: usize = 1 << 20;

/// The maximum number of fields in a message on all levels.
pub const MAX_FIELDS: usize = 1 << 23;

/// The error for a message that has too many fields, or takes too much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// More fields than [`MAX_FIELDS`].
    Fields,
    /// More memory than the limit.
    Memory,
}

/// Returns an upper bound for the memory, in bytes, that a message will take when it is decoded
/// from `bytes`, including the memory for growing lists. The memory of `bytes` itself is not
/// included. If the bytes are not a message, the decoder will report the mistake later.
///
/// # Errors
/// The message has more than [`MAX_FIELDS`] fields, or takes more than `limit` bytes.
pub fn decoded_bytes<M: Name>(bytes: &[u8], limit: usize) -> Result<usize, TooLarge> {
    let shape = shape_index(&M::full_name());
    let mut left = Budget { memory: limit, fields: MAX_FIELDS };
    left.take_bytes(SHAPES[shape].size)?;
    left.message(shape, bytes, MAX_DEPTH)?;
    Ok(limit - left.memory)
}

/// Returns whether a message has fewer than [`MAX_PARTS`] fields at its top level.
pub fn has_few_parts(mut bytes: &[u8]) -> bool {
    (0..MAX_PARTS).any(|_| next_field(&mut bytes).is_none())
}

/// The maximum nesting depth of messages: prost does not decode deeper ones.
const MAX_DEPTH: u32 = 100;

/// The memory layout of a decoded message.
struct Shape {
    /// The message's full name.
    name: &'static str,
    /// The size in bytes, without the memory that it points to.
    size: usize,
    /// The fields that contain messages: the field's number, the index of the message's shape, and
    /// whether the field is a list.
    messages: &'static [(u32, usize, bool)],
    /// The fields that are lists of numbers, which are packed on the wire.
    packed: &'static [u32],
}

// The build script generates `SHAPES`, which contains all shapes sorted by name, and `POINTERS`,
// the size of an element in a list of byte strings or strings.
include!(concat!(env!("OUT_DIR"), "/shapes.rs"));

/// Returns the index of a message's shape.
fn shape_index(name: &str) -> usize {
    let place = SHAPES.binary_search_by_key(&name, |shape| shape.name);
    place.expect("the build script writes all messages")
}

/// A field of a message: its number, its wire type, and the bytes of a length-delimited one.
type Field<'b> = (u32, WireType, &'b [u8]);

/// Removes the first field from the bytes of a message. Returns `None` at the end of the bytes, or
/// if they do not begin with a field.
fn next_field<'b>(bytes: &mut &'b [u8]) -> Option<Field<'b>> {
    let (number, wire) = decode_key(bytes).ok()?;
    let length = match wire {
        WireType::Varint => {
            decode_varint(bytes).ok()?;
            0
        }
        WireType::SixtyFourBit => 8,
        WireType::ThirtyTwoBit => 4,
        WireType::LengthDelimited => decode_varint(bytes).ok()?,
        WireType::StartGroup | WireType::EndGroup => return None,
    };
    let (inner, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some((number, wire, inner))
}

/// The memory of an element in a list, as a multiple of its size. Lists double their capacity when
/// they are full. The smallest capacity is four elements, so the first element takes one more.
const LIST_GROWTH: usize = 3;

/// The memory and fields that a message may still use.
struct Budget {
    memory: usize,
    fields: usize,
}

impl Budget {
    fn take_bytes(&mut self, bytes: usize) -> Result<(), TooLarge> {
        self.memory = self.memory.checked_sub(bytes).ok_or(TooLarge::Memory)?;
        Ok(())
    }

    /// Subtracts the memory that a message will point to.
    fn message(&mut self, shape: usize, mut bytes: &[u8], depth: u32) -> Result<(), TooLarge> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
        // A bit for each list that has an element.
        let mut begun = 0_u64;
        while bytes.has_remaining() {
            self.fields = self.fields.checked_sub(1).ok_or(TooLarge::Fields)?;
            let Some((number, wire, inner)) = next_field(&mut bytes) else { return Ok(()) };
            if wire != WireType::LengthDelimited {
                // Each number in a list takes up to eight bytes.
                self.take_bytes(8 * LIST_GROWTH)?;
                continue;
            }
            match SHAPES[shape].messages.iter().enumerate().find(|(_, field)| field.0 == number) {
                Some((place, &(_, index, is_list))) => {
                    // Other fields are stored inside the message.
                    let size = if is_list { SHAPES[index].size } else { 0 };
                    let is_first = begun & 1 << place == 0;
                    begun |= 1 << place;
                    self.take_bytes(size.saturating_mul(LIST_GROWTH + usize::from(is_first)))?;
                    self.message(index, inner, depth)?;
                }
                // Each packed number takes at least one byte on the wire, and up to eight bytes in
                // memory.
                None if SHAPES[shape].packed.contains(&number) => {
                    self.take_bytes(inner.len().saturating_mul(8 * LIST_GROWTH))?;
                }
                None => self.take_bytes(POINTERS * LIST_GROWTH + inner.len())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config, v1};

    fn bytes_of<M: Message + Name>(message: &M) -> Result<usize, TooLarge> {
        decoded_bytes::<M>(&message.encode_to_vec(), usize::MAX)
    }

    #[test]
    fn estimates_are_near_the_sizes_of_types() {
        let size = |name: &str| SHAPES[shape_index(name)].size;
        for (name, exact) in [
            ("p4.v1.Update", size_of::<v1::Update>()),
            ("p4.v1.Entity", size_of::<v1::Entity>()),
            ("p4.v1.TableEntry", size_of::<v1::TableEntry>()),
            ("p4.v1.FieldMatch", size_of::<v1::FieldMatch>()),
            ("p4.v1.P4Data", size_of::<v1::P4Data>()),
            ("p4.config.v1.Table", size_of::<config::Table>()),
        ] {
            let estimate = size(name);
            assert!((exact..=exact * 2).contains(&estimate), "{name}: {estimate}, exactly {exact}");
        }
    }

    #[test]
    fn small_messages_that_grow_take_what_they_take_in_memory() {
        let request =
            |count| v1::WriteRequest { updates: vec![v1::Update::default(); count], ..Default::default() };
        assert!(
            bytes_of(&request(1)).unwrap() >= size_of::<v1::WriteRequest>() + 4 * size_of::<v1::Update>()
        );
        let growth = bytes_of(&request(1001)).unwrap() - bytes_of(&request(1)).unwrap();
        assert!(growth >= 1000 * 2 * size_of::<v1::Update>(), "{growth}: a list that has just doubled");
        let bytes = request(800_000).encode_to_vec();
        assert_eq!(decoded_bytes::<v1::WriteRequest>(&bytes, 256 << 20), Err(TooLarge::Memory));
        let numbers = config::ActionProfile { table_ids: vec![1; 10_000], ..Default::default() };
        assert!(bytes_of(&numbers).unwrap() >= 10_000 * 8);
        let program = vec![0; 1 << 20];
        let program = v1::ForwardingPipelineConfig { p4_device_config: program, ..Default::default() };
        assert!((1 << 20..(1 << 20) + 4096).contains(&bytes_of(&program).unwrap()));
    }

    #[test]
    fn fields_are_counted() {
        let many = [0x10, 1].repeat(MAX_PARTS);
        assert!(!has_few_parts(&many) && has_few_parts(&many[2..]));
        assert!(decoded_bytes::<v1::WriteRequest>(&many, usize::MAX).is_ok());
        // An update of 16 MiB: the length takes four bytes.
        let nested = [&[0x22, 0x80, 0x80, 0x80, 8][..], &[0x12, 0].repeat(MAX_FIELDS)].concat();
        assert_eq!(decoded_bytes::<v1::WriteRequest>(&nested, usize::MAX), Err(TooLarge::Fields));
        assert!(has_few_parts(&nested), "one update");
    }

    #[test]
    fn invalid_messages_are_left_to_the_decoder() {
        for bytes in [&[0x22][..], &[0x22, 5, 1], &[0xff; 20], &[0x23, 0x24], &[0x08], &[0x21, 1], &[0x25]] {
            assert!(decoded_bytes::<v1::WriteRequest>(bytes, 4096).is_ok(), "{bytes:?}");
        }
        // Data in data in data, deeper than prost decodes.
        let mut bytes = Vec::new();
        for _ in 0..200 {
            let mut outer = vec![0x22];
            prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
            outer.extend(&bytes);
            bytes = outer;
        }
        assert!(decoded_bytes::<v1::P4Data>(&bytes, 1 << 20).is_ok());
    }
}
