//! Values of extern calls in the words of a [`CallFrame`], and their conversion from and to
//! [`Value`]s.

use weir_exec::{CallFrame, FrameValue, Value};
use weir_ir::{ArgValue, Bits, Direction, ExternCall, Layout, Leaf, Program, State};

/// The low 64 bits of a value.
pub(crate) fn low(words: &[u64], value: FrameValue) -> u64 {
    if value.width == 0 { 0 } else { words[value.at] }
}

/// The number, if it has no more than 64 bits.
pub(crate) fn number(words: &[u64], value: FrameValue) -> Option<u64> {
    if value.width > 64 && words[value.words()][1..].iter().any(|word| *word != 0) {
        return None;
    }
    Some(low(words, value))
}

/// The bits that a value has: of a varbit, its present length.
pub(crate) fn width(words: &[u64], value: FrameValue) -> u32 {
    value.length_at.map_or(value.width, |at| words[at] as u32)
}

pub(crate) fn bits(words: &[u64], value: FrameValue) -> Bits {
    let width = width(words, value);
    if let 1..=64 = width {
        return Bits::new(width, u128::from(words[value.at]));
    }
    Bits::from_words(width, &words[value.at..][..width.div_ceil(64) as usize])
}

/// Sets a value to as many low bits as it has.
pub(crate) fn put(words: &mut [u64], to: FrameValue, value: u128) {
    let value = if to.width < 128 { value & ((1 << to.width) - 1) } else { value };
    for (index, word) in words[to.words()].iter_mut().enumerate() {
        *word = if index < 2 { (value >> (64 * index)) as u64 } else { 0 };
    }
}

/// Sets a value, which may be a varbit.
fn put_bits(words: &mut [u64], to: FrameValue, value: &Bits) {
    if let Some(at) = to.length_at {
        words[at] = u64::from(value.width());
    }
    match to.width {
        1..=64 => words[to.at] = value.low_u64(),
        _ => value.write_words(&mut words[to.words()]),
    }
}

/// The values but for fields of invalid headers.
pub(crate) fn present<'a>(
    words: &'a [u64],
    values: &'a [FrameValue],
) -> impl Iterator<Item = &'a FrameValue> {
    values.iter().filter(|value| value.if_valid.is_none_or(|valid| words[valid] != 0))
}

/// Fills the words of a call's frame, all 0 before, with the values of its arguments. Validity bits
/// of headers come from the state.
pub(super) fn read_arguments(
    frame: &CallFrame,
    call: &ExternCall,
    args: &[Value],
    (program, layout, state): (&Program, &Layout, &State),
    words: &mut [u64],
) {
    for ((arg, given), places) in call.args.iter().zip(args).zip(&frame.args) {
        let Value::Bits(values) = given else { continue };
        let (mut values, mut places) = (values.iter(), places.iter());
        let ArgValue::Leaves(leaves) = &arg.value else {
            places.zip(values).for_each(|(place, value)| put_bits(words, *place, value));
            continue;
        };
        for leaf in leaves {
            let (count, is_present) = match leaf {
                Leaf::Value(_) => (1, true),
                Leaf::Header(id) => {
                    let header = &program.headers[*id];
                    (header.fields.len(), layout.get_u64(state, header.valid) != 0)
                }
            };
            for place in places.by_ref().take(count).filter(|_| is_present) {
                if let Some(valid) = place.if_valid {
                    words[valid] = 1;
                }
                if let Some(value) = values.next() {
                    put_bits(words, *place, value);
                }
            }
        }
    }
}

/// Takes the values of arguments that a call writes, and those of its result, from the words of its
/// frame.
pub(super) fn write_results(
    frame: &CallFrame,
    call: &ExternCall,
    words: &[u64],
    args: &mut [Value],
) -> Vec<Bits> {
    let values = |places: &[FrameValue]| places.iter().map(|place| bits(words, *place)).collect();
    for ((arg, given), places) in call.args.iter().zip(args).zip(&frame.args) {
        if arg.direction != Direction::In && matches!(arg.value, ArgValue::Vars { .. }) {
            *given = Value::Bits(values(places));
        }
    }
    values(&frame.result)
}

#[cfg(test)]
mod tests {
    use weir_ir::{Arg, Expr, ExprKind, Type};

    use super::*;

    /// An argument that reads a value of this type.
    fn reads(ty: Type) -> Arg {
        let value = Expr { ty, kind: ExprKind::Const(Bits::zero(ty.width())) };
        let value = ArgValue::Leaves(vec![Leaf::Value(value)]);
        Arg { name: String::new(), direction: Direction::In, value }
    }

    #[test]
    fn a_varbit_keeps_its_length() {
        let args = vec![reads(Type::Varbit { max: 320 }), reads(Type::bit(9))];
        let call = ExternCall {
            callee: "f".to_owned(),
            instance: None,
            type_args: Vec::new(),
            args,
            result: Vec::new(),
        };
        let program = Program::default();
        let layout = Layout::new(&program);
        assert_eq!(CallFrame::of(&program, &call), None, "machine code makes no calls with varbits");
        let frame = CallFrame::of_any(&program, &call);
        for length in [0, 1, 64, 72, 320] {
            let (varbit, port) = (Bits::ones(length), Bits::new(9, 0x1ff));
            let values = [varbit.clone(), port.clone()].map(|value| Value::Bits(vec![value]));
            let mut words = vec![0; frame.words];
            read_arguments(&frame, &call, &values, (&program, &layout, &layout.state()), &mut words);
            let read = [0, 1].map(|arg| bits(&words, frame.args[arg][0]));
            assert_eq!(read, [varbit, port]);
        }
    }
}
