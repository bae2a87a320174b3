//! Conversion between the words of a [`CallFrame`] and [`Value`]s.

use weir_ir::{Arg, ArgValue, Bits, ExternCall, Layout, Leaf, Program, State};

use crate::call_frame::{CallFrame, FrameValue, written_vars};
use crate::value::Value;

impl CallFrame {
    /// Reads the arguments of the call as values.
    pub fn arguments(&self, call: &ExternCall, words: &[u64]) -> Vec<Value> {
        let value = |(arg, places): (&Arg, &Vec<FrameValue>)| match &arg.value {
            ArgValue::Leaves(_) | ArgValue::Vars { .. } => {
                let present = places.iter().filter(|place| place.is_present(words));
                Value::Bits(present.map(|place| place.read(words)).collect())
            }
            ArgValue::Text(text) => Value::Text(text.clone()),
            ArgValue::Extern(id) => Value::Extern(*id),
        };
        call.args.iter().zip(&self.args).map(value).collect()
    }

    /// Writes the arguments of the call to words that are all 0. The validity bits of headers come
    /// from the state.
    ///
    /// # Panics
    /// If a value does not fit its words.
    pub fn set_arguments(
        &self,
        call: &ExternCall,
        args: &[Value],
        (program, layout, state): (&Program, &Layout, &State),
        words: &mut [u64],
    ) {
        for ((arg, given), places) in call.args.iter().zip(args).zip(&self.args) {
            let Value::Bits(values) = given else { continue };
            let (mut values, mut places) = (values.iter(), places.iter());
            let ArgValue::Leaves(leaves) = &arg.value else {
                places.zip(values).for_each(|(place, value)| place.write(words, value));
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
                    place.if_valid.iter().for_each(|valid| words[*valid] = 1);
                    if let Some(value) = values.next() {
                        place.write(words, value);
                    }
                }
            }
        }
    }

    /// Reads the values of the arguments that the call writes, and the values of its result.
    pub fn results(&self, call: &ExternCall, words: &[u64], args: &mut [Value]) -> Vec<Bits> {
        let values = |places: &[FrameValue]| places.iter().map(|place| place.read(words)).collect();
        for ((arg, given), places) in call.args.iter().zip(args).zip(&self.args) {
            if written_vars(arg).is_some() {
                *given = Value::Bits(values(places));
            }
        }
        values(&self.result)
    }

    /// Writes the results of the call: the arguments that it changes, and its result.
    ///
    /// # Panics
    /// If the number of values is wrong, or a value does not fit its words.
    pub fn set_results(&self, call: &ExternCall, args: &[Value], result: &[Bits], words: &mut [u64]) {
        let mut set = |places: &[FrameValue], values: &[Bits]| {
            let mut pairs = places.iter().zip(values);
            let fit = places.len() == values.len() && pairs.all(|(place, value)| place.fits(value));
            let callee = &call.callee;
            assert!(fit, "the extern `{callee}` gave values that do not fit the variables that take them");
            places.iter().zip(values).for_each(|(place, value)| place.write(words, value));
        };
        for ((arg, value), places) in call.args.iter().zip(args).zip(&self.args) {
            if let (Some(_), Value::Bits(values)) = (written_vars(arg), value) {
                set(places, values);
            }
        }
        set(&self.result, result);
    }
}

#[cfg(test)]
mod tests {
    use weir_ir::{Direction, Expr, ExprKind, Type};

    use super::*;

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
            declared: Vec::new(),
            args,
            result: Vec::new(),
        };
        let program = Program::default();
        let layout = Layout::new(&program);
        assert_eq!(CallFrame::for_call(&program, &call), None, "machine code makes no calls with varbits");
        let frame = CallFrame::of_any(&program, &call);
        for length in [0, 1, 64, 72, 320] {
            let (varbit, port) = (Bits::ones(length), Bits::new(9, 0x1ff));
            let values = [varbit, port].map(|value| Value::Bits(vec![value]));
            let mut words = vec![0; frame.words];
            frame.set_arguments(&call, &values, (&program, &layout, &layout.state()), &mut words);
            assert_eq!(frame.arguments(&call, &words), values);
        }
    }
}
