//! A state stores every variable separately.

use proptest::prelude::*;
use weir_ir::{Bits, Layout, Loc, Program, Type, VarId};

fn ty() -> impl Strategy<Value = Type> {
    prop_oneof![
        (0u32..300).prop_map(Type::bit),
        prop::sample::select(vec![1, 8, 63, 64, 65, 128, 129]).prop_map(Type::int),
        (0u32..300).prop_map(|max| Type::Varbit { max }),
        Just(Type::Bool),
        Just(Type::Error),
    ]
}

fn layout(types: &[Type]) -> (Layout, Vec<VarId>) {
    let mut program = Program::default();
    let vars =
        types.iter().enumerate().map(|(i, ty)| program.add_var(format!("v{i}"), *ty, Loc::NONE)).collect();
    (Layout::new(&program), vars)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn setting_a_variable_changes_no_other(
        types in prop::collection::vec(ty(), 1..12),
        writes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 38), 0u32..=300),
            0..40,
        ),
    ) {
        let (layout, vars) = layout(&types);
        let mut state = layout.state();
        let mut model: Vec<Bits> = types.iter().map(|ty| ty.zero()).collect();
        for (which, bytes, length) in writes {
            let i = which.index(types.len());
            let width = match types[i] {
                Type::Varbit { max } => length.min(max),
                ty => ty.width(),
            };
            let value = Bits::from_be_bytes(width, &bytes);
            if types[i].width() <= 64 && length % 2 == 0 && !matches!(types[i], Type::Varbit { .. }) {
                // All bytes are set: bits that do not fit are cut off.
                layout.set_u64(&mut state, vars[i], Bits::from_be_bytes(64, &bytes).low_u64());
            } else {
                layout.set(&mut state, vars[i], &value);
            }
            model[i] = value;
            for (var, expected) in vars.iter().zip(&model) {
                prop_assert_eq!(&layout.get(&state, *var), expected);
            }
            if !matches!(types[i], Type::Varbit { .. }) {
                prop_assert_eq!(layout.get_u64(&state, vars[i]), model[i].low_u64());
            }
        }
        // States with the same values are equal, whatever they contained before.
        let mut fresh = layout.state();
        for (var, value) in vars.iter().zip(&model) {
            layout.set(&mut fresh, *var, value);
        }
        prop_assert_eq!(&fresh, &state);
        state.clear();
        prop_assert_eq!(state, layout.state());
    }
}

#[test]
fn a_new_state_is_zero_and_varbits_are_empty() {
    let types = [Type::bit(9), Type::Varbit { max: 320 }, Type::Bool];
    let (layout, vars) = layout(&types);
    let state = layout.state();
    let widths: Vec<u32> = vars.iter().map(|var| layout.get(&state, *var).width()).collect();
    assert_eq!(widths, [9, 0, 1]);
    assert!(vars.iter().all(|var| layout.get(&state, *var).is_zero()));
}
