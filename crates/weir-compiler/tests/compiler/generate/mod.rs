//! Generates valid P4 programs for the architecture of `testdata/lower/pipe.p4`. The same seed and
//! length always give the same program.
//!
//! They use the usual constructs: headers, stacks, unions, structs, enums, constants, functions,
//! parsers with selects and loops, sub-controls, actions, tables with entries, switches and loops.
//! There is no division and no recursion; loops are short.

mod controls;
mod expression;
mod fixed;
mod functions;

use std::fmt::Write;

/// The random choices, which depend only on the seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn random_below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn one_in(&mut self, cases: usize) -> bool {
        self.random_below(cases) == 0
    }
}

/// A type of the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bool,
    Bit(u32),
    Int(u32),
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Bool => f.write_str("bool"),
            Ty::Bit(width) => write!(f, "bit<{width}>"),
            Ty::Int(width) => write!(f, "int<{width}>"),
        }
    }
}

const WIDTHS: [u32; 7] = [8, 1, 4, 16, 32, 48, 77];

/// A name in scope: its spelling, its type, and whether it can be assigned.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    ty: Ty,
    writable: bool,
}

struct Maker {
    random: Random,
    out: String,
    indent: usize,
    scope: Vec<Name>,
    /// The functions: name, result type, and types of their `in` parameters.
    functions: Vec<(String, Ty, Vec<Ty>)>,
    /// The functions without a result: name and types of parameters. The last parameter is `in`,
    /// the others are `inout`.
    procedures: Vec<(String, Vec<Ty>)>,
    /// The instances of leaf controls.
    leaves: Vec<String>,
    /// The extern objects that are passed to the leaf controls.
    cells: Vec<String>,
    /// An instance of a control that applies one of the leaf controls.
    shell: Option<String>,
    /// The action of the current control with a parameter that tables bind.
    bound: Option<String>,
    /// The actions of the current control that take one `bit<8>`.
    actions: Vec<String>,
    tables: Vec<String>,
    /// The nesting depth of the current statement.
    depth: usize,
    in_loop: bool,
    fresh: usize,
    /// Whether header names are in scope.
    headers: bool,
}

/// Returns a program of about `lines` lines, at least a hundred or so.
pub fn program(seed: u64, lines: usize) -> String {
    let mut maker = Maker {
        random: Random(seed),
        out: String::new(),
        indent: 0,
        scope: Vec::new(),
        functions: Vec::new(),
        procedures: Vec::new(),
        leaves: Vec::new(),
        cells: Vec::new(),
        shell: None,
        bound: None,
        actions: Vec::new(),
        tables: Vec::new(),
        depth: 0,
        in_loop: false,
        fresh: 0,
        headers: false,
    };
    maker.types();
    maker.parser();
    maker.leaf_control();
    let mut controls = 0;
    // The part after the sub-controls takes one line for each sub-control and a few more lines.
    while controls == 0 || maker.out.lines().count() + controls + 60 < lines {
        let before = maker.out.len();
        maker.function();
        maker.procedure();
        maker.sub_control(controls);
        controls += 1;
        let per_control = maker.out[before..].lines().count().max(1);
        // Counting all lines again for each control would take longer than generating them.
        let rest = lines.saturating_sub(maker.out.lines().count() + controls + 60) / (per_control * 4);
        for _ in 0..rest {
            maker.function();
            maker.procedure();
            maker.sub_control(controls);
            controls += 1;
        }
    }
    maker.main(controls);
    maker.out
}

impl Maker {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * self.indent);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self, tail: &str) {
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn new_name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn random_width(&mut self) -> u32 {
        WIDTHS[self.random.random_below(WIDTHS.len())]
    }

    fn ty(&mut self) -> Ty {
        match self.random.random_below(6) {
            0 => Ty::Bool,
            1 => Ty::Int(self.random_width().max(2)),
            _ => Ty::Bit(self.random_width()),
        }
    }

    fn name(&mut self, text: &str, ty: Ty, writable: bool) {
        self.scope.push(Name { text: text.to_string(), ty, writable });
    }
}
