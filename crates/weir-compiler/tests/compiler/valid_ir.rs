//! The compiler's output is valid, and its text form reads back the same.

use crate::pipe;
use weir_ir::{passes, text, violations};

#[test]
fn lowered_programs_are_valid_and_read_back() {
    let mut seen = 0;
    for path in ["run", "text"].into_iter().flat_map(pipe::programs) {
        let Some(mut program) = pipe::compile_file(&path).program else {
            panic!("{} does not compile", path.display());
        };
        for stage in ["lowered", "bound"] {
            program = match stage {
                "bound" => passes::bind(program, &[]).expect("there is nothing to bind"),
                _ => program,
            };
            assert_eq!(violations(&program), [], "{} is invalid when {stage}", path.display());
            let printed = text::print(&program);
            let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
            assert_eq!(again, *program, "{} reads back differently when {stage}", path.display());
        }
        seen += 1;
    }
    assert!(seen > 0, "the programs are missing");
}
