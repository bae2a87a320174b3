//! Masks of keys that controllers change (`@dynamic_table_key_masks`). Each exact key of such a
//! table is combined with a parameter (`RegisterParam`), which has all bits at first.

use std::collections::BTreeMap;

use weir_ir::passes::rewrite;
use weir_ir::{
    Annotation, AnnotationForm, BinaryOp, Bits, ConstArg, ExternCall, ExternInstance, Loc, Program, Stmt,
    StmtKind, TableId, Type, VarId,
};

use super::super::build::{add_var, binary, stmt, value};

/// The annotation of the tables.
const ANNOTATION: &str = "dynamic_table_key_masks";

/// Adds the masks.
pub(super) fn add(program: &mut Program) {
    let is_masked = |annotations: &[Annotation]| annotations.iter().any(|one| one.name == ANNOTATION);
    let tables = program.tables.iter().filter(|(_, table)| is_masked(&table.annotations));
    let tables: Vec<TableId> = tables.map(|(id, _)| id).collect();
    let reads: BTreeMap<TableId, Vec<Stmt>> =
        tables.into_iter().map(|table| (table, mask_keys(program, table))).collect();
    if reads.is_empty() {
        return;
    }
    rewrite(program, &mut |_, stmt| {
        let reads = match &stmt.kind {
            StmtKind::Apply { table, .. } => reads.get(table).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        reads.into_iter().chain([stmt]).collect()
    });
}

/// Masks the exact keys of a table. Returns the statements that read the masks.
fn mask_keys(program: &mut Program, table: TableId) -> Vec<Stmt> {
    let mut reads = Vec::new();
    for place in 0..program.tables[table].keys.len() {
        let key = &program.tables[table].keys[place];
        let (expr, ty) = (key.expr.clone(), key.expr.ty);
        if key.match_kind != "exact" || ty != Type::bit(ty.width()) {
            continue;
        }
        let name = format!("{}.$mask{place}", program.tables[table].name);
        let var = add_var(program, &name, ty);
        reads.push(read(program, name, var));
        let masked = binary(BinaryOp::BitAnd, expr, value(program, var), ty);
        program.tables[table].keys[place].expr = masked;
    }
    reads
}

/// Adds the parameter of a mask, and returns the statement that reads it.
fn read(program: &mut Program, name: String, var: VarId) -> Stmt {
    let ty = program.vars[var].ty;
    let hidden = Annotation { name: "hidden".to_owned(), args: Vec::new(), form: AnnotationForm::Bare };
    let object = program.externs.push(ExternInstance {
        name,
        kind: "RegisterParam".to_owned(),
        type_args: vec![ty],
        declared: Vec::new(),
        factory: None,
        args: vec![ConstArg::Bits(ty, Bits::ones(ty.width()))],
        methods: Vec::new(),
        annotations: vec![hidden],
        loc: Loc::NONE,
    });
    stmt(StmtKind::Extern(ExternCall {
        callee: "RegisterParam.read".to_owned(),
        instance: Some(object),
        type_args: Vec::new(),
        declared: Vec::new(),
        args: Vec::new(),
        result: vec![var],
    }))
}
