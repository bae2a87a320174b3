//! Tables, their entries and their direct meters.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed};
use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    ActionCall, ActionId, Call, Callee, Constructor, Expr, ExprKind, InstanceId, KeysetElement, Program,
    Stmt, StmtKind, Table, Types,
};

use crate::code::Code;
use crate::names::{argument, bits, method, number, same_place};
use crate::report::Report;
use crate::rules::{
    DIRECT_METER_RESULTS, ERROR_ENTRY, EXACT_ANY, LPM_WIDTH, METER_COLOUR, METER_MISS, METER_UNREAD,
    NEGATIVE_DATA, NEGATIVE_KEY, PROFILE_DEFAULT, PROFILE_ENTRIES, PROFILE_MISS, RANGE_MASK, SELECTOR,
    SELECTOR_KEYS, TABLE_SIZE, TWO_LPM_KEYS,
};

/// Checks the tables that are applied.
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
        if let Some(entry) = table.entries.first()
            && implementation(program, table).is_some()
        {
            report.add(&PROFILE_ENTRIES, entry.keyset.span, "this entry, and those below it");
        }
        if let Some(meter) = property(table, "meters") {
            direct_meter(code, table, meter, report);
        }
        if let Some(size) = &table.size
            && number(program, size).is_some_and(|entries| entries > BigInt::from(i32::MAX))
        {
            report.add(&TABLE_SIZE, size.span, "");
        }
    }
    shared_selectors(code, report);
    code.visit(&mut Switches { program, report });
}

/// Checks tables that share an action selector. p4c gives a selector the keys of the first table.
fn shared_selectors(code: &Code<'_>, report: &mut Report<'_>) {
    let program = code.program;
    let mut first: BTreeMap<InstanceId, &Table> = BTreeMap::new();
    for id in code.tables() {
        let table = &program.tables[id];
        let Some(selector) = property(table, "implementation") else { continue };
        if implementation(program, table) != Some("action_selector") {
            continue;
        }
        let other = *first.entry(selector).or_insert(table);
        let keys = |table| selector_keys(program, table);
        let same = keys(other).len() == keys(table).len()
            && keys(other).iter().zip(keys(table)).all(|(one, other)| same_field(program, one, other));
        if !std::ptr::eq(other, table) && !same {
            let label = format!("`{}` has other `selector` keys", other.name.text);
            report.add(&SELECTOR_KEYS, table.name.span, label);
        }
    }
}

fn selector_keys<'a>(program: &Program, table: &'a Table) -> Vec<&'a Expr> {
    let keys = (0..table.keys.len()).filter(|&key| kind(program, table, key) == "selector");
    keys.map(|key| &table.keys[key].expr).collect()
}

/// Returns whether keys are the same field for p4c, which compares the names of the parameters of
/// different controls.
fn same_field(program: &Program, one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => program.vars[*a].name.text == program.vars[*b].name.text,
        (ExprKind::Field { base: a, field: i }, ExprKind::Field { base: b, field: j }) => {
            i == j && same_field(program, a, b)
        }
        (ExprKind::Index { base: a, index: i }, ExprKind::Index { base: b, index: j }) => {
            let same_index = number(program, i)
                .zip(number(program, j))
                .map_or_else(|| same_field(program, i, j), |(i, j)| i == j);
            same_index && same_field(program, a, b)
        }
        _ => false,
    }
}

/// Returns the match kind of a table's key; empty if there is no such key.
fn kind<'a>(program: &'a Program, table: &Table, key: usize) -> &'a str {
    table.keys.get(key).map_or("", |key| &program.match_kinds[key.match_kind].0.name.text)
}

/// Checks the keys of a table.
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

/// Checks the entries of a table.
fn entries(program: &Program, table: &Table, report: &mut Report<'_>) {
    for entry in &table.entries {
        for (key, element) in entry.keyset.elements.iter().enumerate() {
            match (kind(program, table, key), element) {
                ("range", KeysetElement::Mask { mask, .. }) if !is_whole(program, mask) => {
                    report.add(&RANGE_MASK, entry.keyset.span, "");
                }
                ("exact", KeysetElement::Any) => report.add(&EXACT_ANY, entry.keyset.span, ""),
                (_, KeysetElement::Value(value)) if value.ty == Types::ERROR => {
                    report.add(&ERROR_ENTRY, entry.keyset.span, "");
                }
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

/// Returns whether a mask has all bits set, so that p4c uses the value without the mask.
fn is_whole(program: &Program, mask: &Expr) -> bool {
    let all = bits(program, mask.ty).map(|(_, width)| (BigInt::one() << width) - 1);
    number(program, mask).is_some_and(|mask| Some(mask) == all)
}

fn negative_data(program: &Program, call: &ActionCall, report: &mut Report<'_>) {
    for arg in call.args.iter().filter(|arg| is_negative(program, arg)) {
        report.add(&NEGATIVE_DATA, arg.span, "");
    }
}

fn is_negative(program: &Program, value: &Expr) -> bool {
    number(program, value).is_some_and(|number| number.is_negative())
}

/// Returns the name of the extern that holds the table's actions.
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

/// Returns the object that a property names.
pub(crate) fn property(table: &Table, name: &str) -> Option<InstanceId> {
    let property = table.properties.iter().find(|property| property.name.text == name)?;
    match property.value.kind {
        ExprKind::Instance(instance) => Some(instance),
        _ => None,
    }
}

fn direct_meter(code: &Code<'_>, table: &Table, meter: InstanceId, report: &mut Report<'_>) {
    let program = code.program;
    let search = || Reads { program, meter, found: Vec::new() };
    let mut everywhere = search();
    code.visit(&mut everywhere);
    if everywhere.found.is_empty() {
        report.add(&METER_UNREAD, table.name.span, "its meter is not read");
    }
    let in_action = |action: ActionId| {
        let mut reads = search();
        walk::block(&program.actions[action].body, &mut reads);
        reads.found
    };
    let reads: Vec<Vec<Call>> = table.actions.iter().map(|action| in_action(action.action)).collect();
    let mut all = reads.iter().flatten();
    let Some(first) = all.next() else { return };
    for other in all {
        let (one, two) = (argument(first, 0), argument(other, 0));
        if one.zip(two).is_some_and(|(one, two)| !same_place(one, two)) {
            report.add(&DIRECT_METER_RESULTS, other.span, "");
        }
    }
    for (action, reads) in table.actions.iter().zip(&reads) {
        if reads.is_empty() && !action.annotations.contains("defaultonly") {
            report.add(&METER_COLOUR, action.span, "does not read the meter");
        }
    }
    if let Some(default) = &table.default_action
        && let Some(read) = reads.get(default.call.action).and_then(|reads| reads.first())
    {
        report.add(&METER_MISS, read.span, "");
    }
}

/// Finds the calls that read a meter.
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

/// The state of checking `switch` statements.
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
