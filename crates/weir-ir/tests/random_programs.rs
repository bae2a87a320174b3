//! Tests properties of all programs on random programs.

use proptest::prelude::*;
use weir_ir::passes::bind;
use weir_ir::{text, validate, violations};

fn entropy() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..1500)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn random_programs_are_valid(entropy in entropy()) {
        let program = weir_testgen::program(&entropy);
        let violations = violations(&program);
        if !violations.is_empty() {
            return Err(TestCaseError::fail(format!("{}\n{}", violations[0], text::print(&program))));
        }
    }

    #[test]
    fn text_reads_back_and_prints_the_same(entropy in entropy()) {
        let program = weir_testgen::program(&entropy);
        let printed = text::print(&program);
        let again = text::parse(&printed).map_err(|error| TestCaseError::fail(format!("{error}\n{printed}")))?;
        prop_assert_eq!(&again, &program, "{}", printed);
        prop_assert_eq!(text::print(&again), printed);
    }

    #[test]
    fn binding_leaves_valid_programs(entropy in entropy()) {
        let program = validate(weir_testgen::program(&entropy)).expect("random programs are valid");
        // Binding validates its result. Without groups, it drops unused parts.
        let swept = bind(program, &[]).expect("there is nothing to bind");
        prop_assert!(bind(swept.clone(), &[]) == Ok(swept), "sweeping again changes nothing");
    }

    #[test]
    fn broken_text_is_an_error_not_a_panic(
        entropy in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
        junk in "[a-z0-9@`\"(){}\\[\\];:<>.&|+*/ -]{0,6}",
    ) {
        let mut printed = text::print(&weir_testgen::program(&entropy));
        let cut = at.index(printed.len());
        if printed.is_char_boundary(cut) {
            printed.insert_str(cut, &junk);
        }
        if let Ok(program) = text::parse(&printed) {
            // Validating an arbitrary text must not panic.
            let _ = violations(&program);
        }
        let _ = text::parse(&printed[..cut]);
    }
}
