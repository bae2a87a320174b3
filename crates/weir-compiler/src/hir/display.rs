//! Types and directions as in the user's program.

use super::{Direction, Program, Type, TypeId, Types};

/// The length in bytes after which a name is cut: few lines can declare a type whose name has
/// millions of parts.
const MAX_LENGTH: usize = 400;

/// Returns the name of `ty` as a user would write it, with `…` for the part beyond `MAX_LENGTH`.
///
/// `types` holds the program's types, and may hold more.
pub fn type_name(program: &Program, types: &Types, ty: TypeId) -> String {
    let mut name = TypeName { program, types, text: String::new() };
    name.ty(ty);
    name.text
}

/// A type's name that is being written as text.
struct TypeName<'a> {
    program: &'a Program,
    types: &'a Types,
    text: String,
}

impl TypeName<'_> {
    /// Appends a type as P4 writes it.
    fn ty(&mut self, ty: TypeId) {
        let program = self.program;
        match &self.types[ty] {
            Type::Poison => self.text.push('?'),
            Type::Void => self.text.push_str("void"),
            Type::Any => self.text.push('_'),
            Type::Bool => self.text.push_str("bool"),
            Type::Error => self.text.push_str("error"),
            Type::MatchKind => self.text.push_str("match_kind"),
            Type::String => self.text.push_str("string"),
            Type::Int => self.text.push_str("int"),
            Type::Bits { signed, width } => {
                let name = if *signed { "int" } else { "bit" };
                self.text.push_str(&format!("{name}<{width}>"));
            }
            Type::Varbit { max_width } => self.text.push_str(&format!("varbit<{max_width}>")),
            Type::Enum(decl) => self.text.push_str(&program.enums[*decl].name.text),
            Type::Record { decl, args } => self.push_application(&program.records[*decl].name.text, args),
            Type::Stack { element, size } => {
                self.ty(*element);
                self.text.push_str(&format!("[{size}]"));
            }
            Type::Tuple(items) => {
                self.text.push_str("tuple<");
                self.push_list(items);
                self.text.push('>');
            }
            Type::AnonymousStruct(fields) => {
                self.text.push_str("struct {");
                for (name, ty) in fields {
                    self.text.push(' ');
                    if self.cut_if_too_long() {
                        break;
                    }
                    self.ty(*ty);
                    self.text.push_str(&format!(" {name};"));
                }
                self.text.push_str(" }");
            }
            Type::List(element) => self.push_application("list", &[*element]),
            Type::Newtype(decl) => self.text.push_str(&program.newtypes[*decl].name.text),
            Type::Var(var) => self.text.push_str(&program.type_vars[*var].name.text),
            Type::Extern { decl, args } => self.push_application(&program.externs[*decl].name.text, args),
            Type::BlockType { decl, args } => {
                self.push_application(&program.block_types[*decl].name.text, args);
            }
            Type::Parser { decl, args } => self.push_application(&program.parsers[*decl].name.text, args),
            Type::Control { decl, args } => self.push_application(&program.controls[*decl].name.text, args),
            Type::Package { decl, args } => self.push_application(&program.packages[*decl].name.text, args),
            Type::Table(table) => self.text.push_str(&format!("table {}", program.tables[*table].name.text)),
            Type::ApplyResult(table) => {
                self.text.push_str(&format!("result of {}.apply()", program.tables[*table].name.text));
            }
            Type::ActionRun(table) => {
                self.text.push_str(&format!("actions of {}", program.tables[*table].name.text));
            }
        }
    }

    fn push_application(&mut self, name: &str, args: &[TypeId]) {
        self.text.push_str(name);
        if !args.is_empty() {
            self.text.push('<');
            self.push_list(args);
            self.text.push('>');
        }
    }

    fn push_list(&mut self, items: &[TypeId]) {
        for (index, &item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            if self.cut_if_too_long() {
                break;
            }
            self.ty(item);
        }
    }

    /// Returns whether the name is too long; if so, marks where it is cut.
    fn cut_if_too_long(&mut self) -> bool {
        let cut = self.text.len() > MAX_LENGTH;
        if cut {
            self.text.push('…');
        }
        cut
    }
}

/// Returns a direction as written, followed by a space; empty for none.
pub fn direction_prefix(direction: Direction) -> &'static str {
    match direction {
        Direction::None => "",
        Direction::In => "in ",
        Direction::Out => "out ",
        Direction::InOut => "inout ",
    }
}
