//! Tests that calls are checked with the description of the architecture. The test architecture has
//! different blocks from v1model, and different rules for calls with the same names.

use weir_ir::ValidProgram;
use weir_syntax::preprocess::MemoryLoader;

use super::{BlockRole, Blocks, Call, CallPlace, misplaced_calls};
use crate::arch::GressKind::{Egress, Ingress};

const ROLES: [BlockRole; 3] = [
    BlockRole::new(&[0], "the front", Ingress),
    BlockRole::new(&[1], "the middle", Ingress),
    BlockRole::new(&[2], "the back", Egress),
];

/// Unlike in v1model, `truncate` and `clone` are allowed in other blocks, and `clone` ignores its
/// argument.
const CALLS: [Call; 6] = [
    Call::in_blocks("truncate", &[0], "shorten in front"),
    Call::in_blocks("clone", &[1, 2], "copy behind the front"),
    Call::in_all_blocks("resubmit_preserving_field_list"),
    Call::in_blocks("Bell.ring", &[2], "ring at the back"),
    Call {
        name: "stop",
        place: CallPlace::WithoutArguments(Blocks { positions: &[1], help: "give a reason" }),
    },
    Call {
        name: "turn",
        place: CallPlace::ByMember(
            0,
            &[
                ("LEFT", Blocks { positions: &[0], help: "left in front" }),
                ("RIGHT", Blocks { positions: &[0, 2], help: "right at the ends" }),
            ],
        ),
    },
];

/// Statements, and for each block whether the statement is allowed there.
const MATRIX: [(&str, &str); 9] = [
    ("truncate(20);", ".xx"),
    ("clone(CloneType.I2E, 5);", "x.."),
    ("clone(CloneType.E2E, 5);", "x.."),
    ("resubmit_preserving_field_list(1);", "..."),
    ("bell.ring(x);", "xx."),
    ("stop();", "x.x"),
    ("stop(x);", "..."),
    ("turn(Side.LEFT);", ".xx"),
    ("turn(Side.RIGHT);", ".x."),
];

fn program(block: usize, statement: &str) -> ValidProgram {
    let [a, b, c] = std::array::from_fn(|number| if number == block { statement } else { "" });
    let text = format!(
        "enum Side {{ LEFT, RIGHT }}
enum CloneType {{ I2E, E2E }}
extern void truncate(in bit<32> length);
extern void clone(in CloneType type, in bit<32> session);
extern void resubmit_preserving_field_list(bit<8> index);
extern void stop();
extern void stop(in bit<8> reason);
extern void turn(in Side side);
extern Bell {{ Bell(); void ring(in bit<8> times); }}
control Part(inout bit<8> x);
package Three(Part a, Part b, Part c);
control A(inout bit<8> x) {{ Bell() bell; apply {{ {a} }} }}
control B(inout bit<8> x) {{ Bell() bell; apply {{ {b} }} }}
control C(inout bit<8> x) {{ Bell() bell; apply {{ {c} }} }}
Three(A(), B(), C()) main;
"
    );
    let result = weir_compiler::compile("main.p4", &MemoryLoader::new().with("main.p4", &text), &[]);
    result.program.unwrap_or_else(|| panic!("{}", result.diagnostics.render(&result.source_map, false)))
}

fn messages(block: usize, statement: &str) -> Vec<(String, Option<String>)> {
    let program = program(block, statement);
    let package = program.main.as_ref().expect("main");
    let errors = misplaced_calls(&program, (package, 0), &ROLES, &CALLS.each_ref());
    errors.into_iter().map(|error| (error.message, error.help)).collect()
}

#[test]
fn the_description_decides_which_calls_are_allowed() {
    for (statement, expected) in MATRIX {
        for (block, wanted) in expected.chars().enumerate() {
            let reported = messages(block, statement);
            let role = ROLES[block].name;
            if wanted == '.' {
                assert_eq!(reported, [], "{statement} in {role}");
                continue;
            }
            let [(message, _)] = &reported[..] else { panic!("{statement} in {role}: {reported:?}") };
            let end = format!(" cannot be called in {role} (`{}`)", ["A", "B", "C"][block]);
            assert!(message.ends_with(&end), "{statement} in {role}: {message}");
        }
    }
}

#[test]
fn errors_contain_the_advice_of_the_description() {
    let one = |message: &str, help: &str| vec![(message.to_owned(), Some(help.to_owned()))];
    assert_eq!(
        messages(1, "truncate(20);"),
        one("`truncate` cannot be called in the middle (`B`)", "shorten in front")
    );
    assert_eq!(
        messages(2, "turn(Side.LEFT);"),
        one("`turn` with `Side.LEFT` cannot be called in the back (`C`)", "left in front")
    );
    let unknown = "Side side = Side.LEFT; if (x == 1) { side = Side.RIGHT; } turn(side);";
    assert_eq!(
        messages(2, unknown),
        one(
            "the `Side` of `turn` in the back (`C`) must be known when the program is compiled",
            "write `Side.RIGHT` here"
        )
    );
}
