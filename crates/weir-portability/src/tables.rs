//! Tables, their entries and their direct meters.

use num_traits::Signed;
use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    ActionCall, ActionId, BinaryOp, Call, Callee, Constructor, Direction, Expr, ExprKind, InstanceId,
    KeysetElement, Program, Stmt, StmtKind, Table, VarId,
};

use crate::code::Code;
use crate::names::{argument, bits, method, number, same_place};
use crate::report::Report;
use crate::rules::{
    DIRECT_METER_RESULTS, EXACT_ANY, LPM_WIDTH, METER_COLOUR, METER_MISS, NEGATIVE_DATA, NEGATIVE_KEY,
    PROFILE_DEFAULT, PROFILE_MISS, RANGE_MASK, SELECTOR, SIGNED_DATA, TWO_LPM_KEYS,
};

pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    for id in code.tables() {
        let table = &program.tables[id];
        keys(program, table, report);
        entries(program, table, report);
        if implementation(program, table) == Some("action_selector") {
            report.add(&SELECTOR, table.name.span, "");
        }
        if let Some(default) = &table.default_action
            && implementation(program, table).is_some()
            && program.actions[table.actions[default.call.action].action].name.text != "NoAction"
        {
            report.add(&PROFILE_DEFAULT, default.call.span, "");
        }
        if let Some(meter) = meter(table) {
            direct_meter(program, table, meter, report);
        }
        for action in &table.actions {
            signed_data(program, action.action, report);
        }
    }
    code.visit(&mut Switches { program, report });
}

fn kind<'a>(program: &'a Program, table: &Table, key: usize) -> &'a str {
    table.keys.get(key).map_or("", |key| &program.match_kinds[key.match_kind].0.name.text)
}

fn keys(program: &Program, table: &Table, report: &mut Report<'_>) {
    let lpm: Vec<usize> = (0..table.keys.len()).filter(|&key| kind(program, table, key) == "lpm").collect();
    if let [_, second, ..] = lpm[..] {
        report.add(&TWO_LPM_KEYS, table.keys[second].span, "another lpm key");
    }
    for key in lpm {
        let key = &table.keys[key];
        if let Some((_, width)) = bits(program, key.expr.ty).filter(|(_, width)| width % 8 != 0) {
            report.add(&LPM_WIDTH, key.span, format!("{width} bits wide"));
        }
    }
}

fn entries(program: &Program, table: &Table, report: &mut Report<'_>) {
    for entry in &table.entries {
        for (key, element) in entry.keyset.elements.iter().enumerate() {
            match (kind(program, table, key), element) {
                ("range", KeysetElement::Mask { .. }) => report.add(&RANGE_MASK, entry.keyset.span, ""),
                ("exact", KeysetElement::Any) => report.add(&EXACT_ANY, entry.keyset.span, ""),
                _ => {}
            }
            let values = match element {
                KeysetElement::Value(value) | KeysetElement::Mask { value, .. } => [Some(value), None],
                KeysetElement::Range { low, high } => [Some(low), Some(high)],
                KeysetElement::Any | KeysetElement::ValueSet(_) => [None, None],
            };
            if let Some(value) = values.into_iter().flatten().find(|value| is_negative(program, value)) {
                report.add(&NEGATIVE_KEY, value.span, "");
            }
        }
        negative_data(program, &entry.call, report);
    }
    if let Some(default) = &table.default_action {
        negative_data(program, &default.call, report);
    }
}

fn negative_data(program: &Program, call: &ActionCall, report: &mut Report<'_>) {
    for arg in call.args.iter().filter(|arg| is_negative(program, arg)) {
        report.add(&NEGATIVE_DATA, arg.span, "");
    }
}

fn is_negative(program: &Program, value: &Expr) -> bool {
    number(program, value).is_some_and(|number| number.is_negative())
}

/// The name of the extern that holds the table's actions.
fn implementation<'a>(program: &'a Program, table: &Table) -> Option<&'a str> {
    let property = table.properties.iter().find(|property| property.name.text == "implementation")?;
    let constructor = match &property.value.kind {
        ExprKind::Instance(instance) => program.instances[*instance].construct.constructor,
        ExprKind::Construct(construct) => construct.constructor,
        _ => return None,
    };
    match constructor {
        Constructor::Extern { decl, .. } => Some(&program.externs[decl].name.text),
        _ => None,
    }
}

fn meter(table: &Table) -> Option<InstanceId> {
    let property = table.properties.iter().find(|property| property.name.text == "meters")?;
    match property.value.kind {
        ExprKind::Instance(instance) => Some(instance),
        _ => None,
    }
}

fn direct_meter(program: &Program, table: &Table, meter: InstanceId, report: &mut Report<'_>) {
    let reads: Vec<Vec<Call>> =
        table.actions.iter().map(|action| reads(program, action.action, meter)).collect();
    let mut all = reads.iter().flatten();
    let Some(first) = all.next() else { return };
    for other in all {
        let (one, two) = (argument(first, 0), argument(other, 0));
        if one.zip(two).is_some_and(|(one, two)| !same_place(one, two)) {
            report.add(&DIRECT_METER_RESULTS, other.span, "");
        }
    }
    for (action, reads) in table.actions.iter().zip(&reads) {
        if reads.is_empty() && !action.annotations.has("defaultonly") {
            report.add(&METER_COLOUR, action.span, "does not read the meter");
        }
    }
    if let Some(default) = &table.default_action
        && let Some(read) = reads.get(default.call.action).and_then(|reads| reads.first())
    {
        report.add(&METER_MISS, read.span, "");
    }
}

/// The calls with which an action reads a meter.
fn reads(program: &Program, action: ActionId, meter: InstanceId) -> Vec<Call> {
    struct Reads<'a> {
        program: &'a Program,
        meter: InstanceId,
        found: Vec<Call>,
    }
    impl Visitor for Reads<'_> {
        fn call(&mut self, call: &Call) {
            if let Callee::Method { object, .. } = &call.callee
                && matches!(object.kind, ExprKind::Instance(id) if id == self.meter)
                && method(self.program, call).is_some_and(|(_, name)| name == "read")
            {
                self.found.push(call.clone());
            }
        }
    }
    let mut reads = Reads { program, meter, found: Vec::new() };
    walk::block(&program.actions[action].body, &mut reads);
    reads.found
}

/// Places where an action compares, shifts or extends signed data from the control plane.
fn signed_data(program: &Program, id: ActionId, report: &mut Report<'_>) {
    let action = &program.actions[id];
    let data = action.params.iter().filter(|param| param.direction == Direction::None);
    let signed = |var: VarId| bits(program, program.vars[var].ty).is_some_and(|(signed, _)| signed);
    let vars: Vec<VarId> = data.map(|param| param.var).filter(|&var| signed(var)).collect();
    if !vars.is_empty() {
        walk::block(&action.body, &mut SignedData { program, vars, report });
    }
}

struct SignedData<'a, 'b> {
    program: &'a Program,
    vars: Vec<VarId>,
    report: &'a mut Report<'b>,
}

impl Visitor for SignedData<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne, Shr};
        let is_data = |expr: &Expr| matches!(expr.kind, ExprKind::Var(var) if self.vars.contains(&var));
        let width = |expr: &Expr| bits(self.program, expr.ty).map_or(0, |(_, width)| width);
        let misread = match &expr.kind {
            ExprKind::Binary(Eq | Ne | Lt | Le | Gt | Ge, left, right) => is_data(left) || is_data(right),
            ExprKind::Binary(Shr, left, _) => is_data(left),
            ExprKind::Cast { operand, .. } => is_data(operand) && width(expr) > width(operand),
            _ => false,
        };
        if misread {
            self.report.add(&SIGNED_DATA, expr.span, "");
        }
    }
}

struct Switches<'a, 'b> {
    program: &'a Program,
    report: &'a mut Report<'b>,
}

impl Visitor for Switches<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::SwitchAction { table, .. } = &stmt.kind
            && implementation(self.program, &self.program.tables[*table]).is_some()
        {
            self.report.add(&PROFILE_MISS, stmt.span, "");
        }
    }
}
