//! An independent evaluation of programs for the test architecture, from the typed tree alone:
//! values are trees, arguments are copied, and data is not flattened. Lowering and the interpreter
//! must agree with it. The code is slow and simple. Abstract methods are not supported.

mod block;
mod call;
mod expr;
mod place;
mod stmt;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use weir_compiler::hir::{self, InstanceId, RecordKind, Type, TypeId, TypeVarId, Types, VarId};
use weir_ir::Bits;

/// A value of any type. Fields of invalid headers also have values. Enumerations and errors are
/// ordinals.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, and whether it is signed.
    Bits(Bits, bool),
    Varbit(Bits),
    Int(BigInt),
    Text(String),
    Group(Vec<Value>),
    Header(bool, Vec<Value>),
    Union(Vec<Value>),
    Array(Vec<Value>, u32),
    Object(usize),
    Nothing,
}

/// The reason why code did not run to its end.
pub enum Stop {
    Break,
    Continue,
    Return(Value),
    Exit,
    Reject(String),
}

pub type Run<T> = Result<T, Stop>;

enum Object {
    Cell(Bits),
    Block(Block),
    Package(Vec<usize>),
}

#[derive(Clone, Default)]
struct Block {
    kind: Option<hir::Constructor>,
    values: FxHashMap<VarId, Value>,
    inner: FxHashMap<InstanceId, usize>,
    generics: Generics,
}

#[derive(Clone, Default)]
struct Generics(Vec<TypeVarId>, Vec<TypeId>);

pub struct Oracle<'a> {
    hir: &'a hir::Program,
    types: Types,
    generics: Generics,
    vars: FxHashMap<VarId, Value>,
    objects: Vec<Object>,
    /// The block whose names are in scope; 0 is the top level.
    frame: usize,
    log: Vec<String>,
    next: u128,
    packet: Vec<u8>,
    position: u64,
    out: Vec<Bits>,
}

/// Sends a packet through a program. The result has the same form as that of `pipe::run`.
pub fn run(hir: &hir::Program, packet: &[u8]) -> Vec<String> {
    let mut oracle = Oracle {
        hir,
        types: hir.types.clone(),
        generics: Generics::default(),
        vars: FxHashMap::default(),
        objects: vec![Object::Block(Block::default())],
        frame: 0,
        log: Vec::new(),
        next: 0,
        packet: packet.to_vec(),
        position: 0,
        out: Vec::new(),
    };
    let mut outcome = oracle.main();
    if !oracle.log.is_empty() {
        outcome.insert(0, format!("log {}", oracle.log.join(" ")));
    }
    outcome
}

pub fn bits(value: &Value) -> &Bits {
    match value {
        Value::Bits(bits, _) | Value::Varbit(bits) => bits,
        other => panic!("{other:?} is not a number with a width"),
    }
}

pub fn as_bool(value: &Value) -> bool {
    bits(value).is_true()
}

pub fn boolean(value: bool) -> Value {
    Value::Bits(Bits::bool(value), false)
}

impl Value {
    fn members(&self) -> &[Value] {
        match self {
            Value::Group(members)
            | Value::Header(_, members)
            | Value::Union(members)
            | Value::Array(members, _) => members,
            _ => &[],
        }
    }

    fn members_mut(&mut self) -> &mut Vec<Value> {
        match self {
            Value::Group(members)
            | Value::Header(_, members)
            | Value::Union(members)
            | Value::Array(members, _) => members,
            other => panic!("{other:?} has no members"),
        }
    }

    fn is_valid(&self) -> bool {
        match self {
            Value::Header(valid, _) => *valid,
            Value::Union(members) => members.iter().any(Value::is_valid),
            _ => true,
        }
    }

    /// Returns whether values are equal as in `==`: counters of stacks are ignored.
    fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bits(a, _) | Value::Varbit(a), Value::Bits(b, _) | Value::Varbit(b)) => a == b,
            (Value::Header(a, _), Value::Header(b, _)) if a != b || !a => a == b,
            (Value::Int(_) | Value::Text(_), _) => self == other,
            (a, b) => a.members().iter().zip(b.members()).all(|(a, b)| a.equals(b)),
        }
    }
}

impl Oracle<'_> {
    fn ty(&mut self, ty: TypeId) -> Type {
        let id = self.types.substitute(ty, &self.generics.0, &self.generics.1);
        self.types[id].clone()
    }

    /// Returns the types of a type's members, and the kind of the record.
    fn members(&mut self, ty: &Type) -> Option<(Option<RecordKind>, Vec<TypeId>)> {
        Some(match ty {
            Type::Record { decl, args } => {
                let record = &self.hir.records[*decl];
                let fields = record.fields.iter();
                let fields =
                    fields.map(|field| self.types.substitute(field.ty, &record.type_params, args)).collect();
                (Some(record.kind), fields)
            }
            Type::Tuple(items) => (None, items.clone()),
            Type::AnonymousStruct(fields) => (None, fields.iter().map(|(_, ty)| *ty).collect()),
            _ => return None,
        })
    }

    /// Returns the initial value of a variable of the type.
    fn default(&mut self, ty: TypeId) -> Value {
        let zero = |width| Value::Bits(Bits::zero(width), false);
        match self.ty(ty) {
            Type::Bool => zero(1),
            Type::Error | Type::MatchKind => zero(32),
            Type::Bits { signed, width } => Value::Bits(Bits::zero(width), signed),
            Type::Varbit { .. } => Value::Varbit(Bits::zero(0)),
            Type::Enum(decl) => match self.hir.enums[decl].underlying {
                Some(underlying) => self.default(underlying),
                None => zero(32),
            },
            Type::Newtype(decl) => self.default(self.hir.newtypes[decl].underlying),
            Type::Stack { element, size } => {
                Value::Array((0..size).map(|_| self.default(element)).collect(), 0)
            }
            other => match self.members(&other) {
                Some((kind, types)) => {
                    let members = types.into_iter().map(|ty| self.default(ty)).collect();
                    match kind {
                        Some(RecordKind::Header) => Value::Header(false, members),
                        Some(RecordKind::Union) => Value::Union(members),
                        _ => Value::Group(members),
                    }
                }
                None => Value::Nothing,
            },
        }
    }
}

/// Sets a value's numbers from successive calls of `next`, and makes its headers valid.
fn fill_numbers(value: &mut Value, next: &mut impl FnMut(&Value) -> Bits) {
    if matches!(value, Value::Bits(..) | Value::Varbit(_)) {
        let filled = next(value);
        match value {
            Value::Bits(bits, _) | Value::Varbit(bits) => *bits = filled,
            _ => {}
        }
        return;
    }
    if let Value::Header(valid, _) = value {
        *valid = true;
    }
    if !value.members().is_empty() {
        value.members_mut().iter_mut().for_each(|member| fill_numbers(member, next));
    }
}
