//! Annotations that have no meaning because of the rest of the program: for example on fields that
//! no field list contains, on entries without priorities, and on profiles without groups.
//!
//! The architecture's file annotates externs: `@has_groups` if their members form groups,
//! `@has_rates` if they measure rates, and `@program_only` if controllers do not see them. It
//! annotates parameters of block types with `@listed_by("annotation")` if this annotation can list
//! their fields.

use std::collections::BTreeSet;

use weir_syntax::{Diagnostic, Diagnostics};

use super::ignored_annotation::no_effect;
use super::known_annotations::{FIELD_KINDS, find};
use crate::hir::display::type_name;
use crate::hir::{
    Annotation, AnnotationValue, ArgValue, Construct, Constructor, Expr, ExprKind, Field, ItemKind, Program,
    Record, RecordId, RecordKind, Table, Type, TypeId,
};

const LISTED_BY: &str = "listed_by";

/// The marks of externs. Each has the annotations that have a meaning only on objects of externs
/// with the mark, or only without it.
const EXTERN_MARKS: [(&str, bool, &[&str], &str); 3] = [
    (
        "has_groups",
        true,
        &["max_group_size", "max_member_weight", "selector_size_semantics"],
        "it applies to the groups of an action selector",
    ),
    ("has_rates", true, &["single_rate_three_color", "single_rate_two_color"], "it is about meters"),
    (
        "program_only",
        false,
        &["alias", "brief", "description", "hidden", "id"],
        "controllers do not know such objects",
    ),
];

/// Annotations of fields and keys that controllers know.
const FIELD_ANNOTATIONS: [&str; 4] = ["brief", "description", "hidden", "id"];

/// Reports annotations that have no meaning because of other parts of the program.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, table) in program.tables.iter().filter(|(_, table)| !has_priorities(program, table)) {
        let entries = table.entries.iter();
        diagnostics.extend(entries.filter_map(|entry| priority(table, entry.annotations.get("priority")?)));
    }
    objects(program, diagnostics);
    methods(program, diagnostics);
    let headers = program.records.iter().filter(|(_, record)| record.kind == RecordKind::Header);
    for (_, header) in headers.filter(|(_, header)| !header.annotations.contains("controller_header")) {
        let names = ["alias", "brief", "description", "hidden", "id"];
        let misplaced = names.into_iter().filter_map(|name| header.annotations.get(name));
        diagnostics.extend(misplaced.map(|annotation| {
            let message = format!("`@{}` has no effect on `{}`", annotation.name, header.name.text);
            no_effect(annotation, message).note("controllers know headers with `@controller_header` only")
        }));
    }
    fields(program, diagnostics);
    for (_, table) in program.tables.iter() {
        for key in &table.keys {
            let (place, note) = if program.match_kinds[key.match_kind].0.name.text == "selector" {
                ("a `selector` key", "controllers do not know such keys, which only feed a hash")
            } else if table.annotations.contains("hidden") {
                ("a key of this table", "controllers do not know the table, which is `@hidden`")
            } else {
                continue;
            };
            let misplaced =
                places_of(&FIELD_ANNOTATIONS, ItemKind::Key).filter_map(|name| key.annotations.get(name));
            diagnostics.extend(misplaced.map(|annotation| {
                let message = format!("`@{}` has no effect on {place}", annotation.name);
                no_effect(annotation, message).note(note)
            }));
        }
    }
}

/// Returns the annotations among `names` that have a meaning on this kind of item. Another lint
/// reports the other annotations.
fn places_of<'n>(names: &'n [&'n str], kind: ItemKind) -> impl Iterator<Item = &'n str> {
    names.iter().copied().filter(move |name| places(name).contains(&kind))
}

/// Returns whether the entries of a table in the program have priorities.
fn has_priorities(program: &Program, table: &Table) -> bool {
    let kinds = || table.keys.iter().map(|key| program.match_kinds[key.match_kind].0.name.text.as_str());
    kinds().filter(|kind| *kind == "lpm").count() > 1
        || kinds().any(|kind| !matches!(kind, "exact" | "lpm" | "selector"))
}

/// Checks the use of `@priority` on a table.
fn priority(table: &Table, annotation: &Annotation) -> Option<Diagnostic> {
    let [AnnotationValue::Int(_)] = annotation.values() else { return None };
    let message = format!("`@priority` has no effect in table `{}`", table.name.text);
    let note = "its keys are exact, with at most one lpm key: one entry matches, or the longest prefix wins";
    Some(no_effect(annotation, message).note(note))
}

/// Reports annotations on objects of externs to which they do not apply.
fn objects(program: &Program, diagnostics: &mut Diagnostics) {
    let declared = program.instances.iter().map(|(_, one)| (&one.construct, &one.annotations));
    let properties = program.tables.iter().flat_map(|(_, table)| &table.properties);
    let constructed = properties.filter_map(|property| match &property.value.kind {
        ExprKind::Construct(construct) => Some((&**construct, &property.annotations)),
        _ => None,
    });
    let objects: Vec<_> = declared.chain(constructed).collect();
    for (mark, wanted, names, note) in EXTERN_MARKS {
        // If no extern has the mark, the architecture says nothing about its externs.
        if !program.externs.iter().any(|(_, object)| object.annotations.contains(mark)) {
            continue;
        }
        for &(construct, annotations) in &objects {
            let Constructor::Extern { decl, .. } = construct.constructor else { continue };
            let object = &program.externs[decl];
            if object.annotations.contains(mark) == wanted {
                continue;
            }
            let misplaced = names.iter().filter_map(|name| annotations.get(name));
            diagnostics.extend(misplaced.map(|annotation| {
                let message = format!("`@{}` has no effect on `{}`", annotation.name, object.name.text);
                no_effect(annotation, message).note(note)
            }));
        }
    }
    for (_, annotations) in objects {
        let semantics = annotations.get("selector_size_semantics").and_then(Annotation::string);
        if semantics.is_some_and(|word| word.eq_ignore_ascii_case("sum_of_members")) {
            continue;
        }
        diagnostics.extend(annotations.get("max_member_weight").map(|annotation| {
            let message = "`@max_member_weight` has no effect here".to_owned();
            no_effect(annotation, message).note("it needs `@selector_size_semantics(\"sum_of_members\")`")
        }));
    }
}

/// Reports annotations on methods and constructors to which they do not apply.
fn methods(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, object) in program.externs.iter() {
        let methods = object.methods.iter().filter(|method| !method.is_abstract);
        let methods =
            methods.map(|method| (method, "a method that is not abstract", ["optional"].as_slice()));
        let constructors = object.constructors.iter();
        let constructors = constructors
            .map(|one| (one, "a constructor", ["atomic", "noSideEffects", "optional", "pure"].as_slice()));
        for (signature, place, names) in methods.chain(constructors) {
            let misplaced = names.iter().filter_map(|name| signature.annotations.get(name));
            diagnostics.extend(misplaced.map(|annotation| {
                no_effect(annotation, format!("`@{}` has no effect on {place}", annotation.name))
            }));
        }
    }
}

/// Reports annotations of fields of records to which they do not apply.
fn fields(program: &Program, diagnostics: &mut Diagnostics) {
    let mut matched = BTreeSet::new();
    program.value_sets.iter().for_each(|(_, set)| records(program, set.element, &mut matched));
    let mut sent = matched.clone();
    let headers =
        program.records.iter().filter(|(_, record)| record.annotations.contains("controller_header"));
    sent.extend(headers.map(|(id, _)| id));
    let listed = field_list_annotations(program);
    for (id, record) in program.records.iter() {
        let kind = match record.kind {
            RecordKind::Struct => ItemKind::StructField,
            RecordKind::Header => ItemKind::HeaderField,
            RecordKind::Union => ItemKind::UnionField,
        };
        // Another lint reports fields of the wrong kind.
        let mut report = |field: &Field, name: &str, places: &[ItemKind], note: &str| {
            let misplaced = field.annotations.get(name).filter(|_| places.contains(&kind));
            diagnostics.extend(misplaced.map(|misplaced| misplaced_annotation(record, misplaced, note)));
        };
        for field in record.fields.iter().filter(|field| !field.annotations.0.is_empty()) {
            if !matched.contains(&id) {
                report(field, "match", places("match"), "it applies to the fields of a value set's type");
            }
            if !sent.contains(&id) {
                let note =
                    "controllers know fields of value sets and of headers with `@controller_header` only";
                FIELD_ANNOTATIONS.iter().for_each(|name| report(field, name, places(name), note));
            }
            for (name, types, records) in &listed {
                if !records.contains(&id) {
                    let note = format!("it lists fields of the metadata, here of {types}");
                    report(field, name, FIELD_KINDS, &note);
                }
            }
        }
    }
}

/// Returns the kinds of items on which an annotation has a meaning.
fn places(name: &str) -> &'static [ItemKind] {
    find(name).map_or(&[], |known| known.places)
}

fn misplaced_annotation(record: &Record, annotation: &Annotation, note: &str) -> Diagnostic {
    let message = format!("`@{}` has no effect on a field of `{}`", annotation.name, record.name.text);
    no_effect(annotation, message).note(note)
}

/// Returns the annotations that list fields of `main`'s data, each with the names of the data's
/// types, and all records in them.
fn field_list_annotations(program: &Program) -> Vec<(&str, String, BTreeSet<RecordId>)> {
    let mut types_by_annotation: Vec<(&str, Vec<TypeId>)> = Vec::new();
    let Some(main) = program.main else { return Vec::new() };
    let construct = &program.instances[main].construct;
    let Constructor::Package(package) = construct.constructor else { return Vec::new() };
    for (param, arg) in program.packages[package].params.iter().zip(&construct.args) {
        let Type::BlockType { decl, .. } = program.types[program.vars[param.var].ty] else { continue };
        let ArgValue::Expr(arg) = &arg.value else { continue };
        let param_types = match constructor_call(program, arg).map(|block| block.constructor) {
            Some(Constructor::Parser(id)) => &program.parsers[id].params,
            Some(Constructor::Control(id)) => &program.controls[id].params,
            _ => continue,
        };
        for (declared, param_types) in program.block_types[decl].params.iter().zip(param_types) {
            let mark = program.vars[declared.var].annotations.get(LISTED_BY);
            let Some(name) = mark.and_then(Annotation::string) else { continue };
            let ty = program.vars[param_types.var].ty;
            match types_by_annotation.iter_mut().find(|(known, _)| *known == name) {
                Some((_, types)) => types.push(ty),
                None => types_by_annotation.push((name, vec![ty])),
            }
        }
    }
    let whole = |(name, types): (_, Vec<TypeId>)| {
        let names = types.iter().map(|&ty| format!("`{}`", type_name(program, &program.types, ty)));
        let names = names.collect::<Vec<_>>().join(" and ");
        let mut all = BTreeSet::new();
        types.into_iter().for_each(|ty| records(program, ty, &mut all));
        (name, names, all)
    };
    types_by_annotation.into_iter().map(whole).collect()
}

/// Returns the constructor call of the block that an argument names.
fn constructor_call<'p>(program: &'p Program, arg: &'p Expr) -> Option<&'p Construct> {
    match &arg.kind {
        ExprKind::Construct(construct) => Some(construct),
        ExprKind::Instance(instance) => Some(&program.instances[*instance].construct),
        _ => None,
    }
}

fn records(program: &Program, ty: TypeId, into: &mut BTreeSet<RecordId>) {
    match &program.types[ty] {
        Type::Record { decl, args } => {
            if into.insert(*decl) {
                program.records[*decl].fields.iter().for_each(|field| records(program, field.ty, into));
            }
            args.iter().for_each(|&arg| records(program, arg, into));
        }
        Type::Stack { element, .. } => records(program, *element, into),
        Type::Tuple(items) => items.iter().for_each(|&item| records(program, item, into)),
        _ => {}
    }
}
