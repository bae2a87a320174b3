//! Declarations.

use super::Printer;
use crate::ast::*;

impl Printer {
    /// Prints a declaration with indentation and newline.
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.indent();
        self.declaration_without_semicolon(declaration);
        if needs_semicolon(&declaration.kind) {
            self.write(";");
        }
        self.write("\n");
    }

    /// Prints a declaration without the final `;`.
    pub(super) fn declaration_without_semicolon(&mut self, declaration: &Declaration) {
        self.annotations(&declaration.annotations);
        let name = declaration.name_str();
        match &declaration.kind {
            DeclKind::Constant(constant) => {
                self.write("const ");
                self.typed_name(&constant.ty, name);
                self.write(" = ");
                self.expr(&constant.value);
            }
            DeclKind::Variable(variable) => {
                self.typed_name(&variable.ty, name);
                self.default(variable.init.as_ref());
            }
            DeclKind::Instantiation(instance) => self.instantiation(name, instance),
            DeclKind::ExternObject(object) => self.extern_object(name, object),
            DeclKind::ExternFunction(signature) => {
                self.write("extern ");
                self.signature(name, signature);
            }
            DeclKind::Function(function) => {
                self.signature(name, &function.signature);
                self.write(" ");
                self.block(&function.body);
            }
            DeclKind::Action(action) => {
                self.write("action ");
                self.write(name);
                self.parameters(&action.params);
                self.write(" ");
                self.block(&action.body);
            }
            DeclKind::Parser(parser) => self.parser(name, parser),
            DeclKind::ParserType(signature) => self.apply_signature("parser", name, signature),
            DeclKind::Control(control) => self.control(name, control),
            DeclKind::ControlType(signature) => self.apply_signature("control", name, signature),
            DeclKind::PackageType(signature) => self.apply_signature("package", name, signature),
            DeclKind::Header(fields) => self.fields("header", name, fields),
            DeclKind::HeaderUnion(fields) => self.fields("header_union", name, fields),
            DeclKind::Struct(fields) => self.fields("struct", name, fields),
            DeclKind::Enum(declared) => {
                self.write("enum ");
                self.write(name);
                self.write(" ");
                self.members(&declared.members);
            }
            DeclKind::SerializableEnum(declared) => {
                self.write("enum ");
                self.typed_name(&declared.ty, name);
                self.write(" ");
                self.open();
                for member in &declared.members {
                    self.indent();
                    self.write(&member.name.text);
                    self.write(" = ");
                    self.expr(&member.value);
                    self.write(",\n");
                }
                self.close();
            }
            DeclKind::Typedef(AliasTarget::Type(ty)) => {
                self.write("typedef ");
                self.typed_name(ty, name);
            }
            DeclKind::Typedef(AliasTarget::Declared(inner)) => {
                self.write("typedef ");
                self.declaration_without_semicolon(inner);
                self.write(" ");
                self.write(name);
            }
            DeclKind::Type(ty) => {
                self.write("type ");
                self.typed_name(ty, name);
            }
            DeclKind::Error(members) => {
                self.write("error ");
                self.members(members);
            }
            DeclKind::MatchKind(members) => {
                self.write("match_kind ");
                self.members(members);
            }
            DeclKind::ValueSet(value_set) => {
                self.write("value_set<");
                self.ty(&value_set.ty);
                self.write(">(");
                self.expr(&value_set.size);
                self.write(") ");
                self.write(name);
            }
            DeclKind::Table(table) => self.table(name, table),
        }
    }

    fn typed_name(&mut self, ty: &TypeRef, name: &str) {
        self.ty(ty);
        self.write(" ");
        self.write(name);
    }

    fn default(&mut self, value: Option<&Expr>) {
        if let Some(value) = value {
            self.write(" = ");
            self.expr(value);
        }
    }

    fn instantiation(&mut self, name: &str, instance: &InstantiationDecl) {
        self.ty(&instance.ty);
        self.arguments(&instance.args);
        self.write(" ");
        self.write(name);
        if let Some(initializer) = &instance.initializer {
            self.write(" = ");
            self.open();
            initializer.iter().for_each(|declaration| self.declaration(declaration));
            self.close();
        }
    }

    fn type_parameters(&mut self, list: &[TypeParameter]) {
        if !list.is_empty() {
            self.write("<");
            self.separated(list, |printer, parameter| printer.write(&parameter.name.text));
            self.write(">");
        }
    }

    fn parameters(&mut self, list: &[Parameter]) {
        self.write("(");
        self.separated(list, |printer, parameter| {
            printer.annotations(&parameter.annotations);
            if parameter.direction != Direction::None {
                printer.write(parameter.direction.keyword());
                printer.write(" ");
            }
            printer.typed_name(&parameter.ty, &parameter.name.text);
            printer.default(parameter.default.as_ref());
        });
        self.write(")");
    }

    fn signature(&mut self, name: &str, signature: &Signature) {
        self.typed_name(&signature.return_type, name);
        self.type_parameters(&signature.type_params);
        self.parameters(&signature.params);
    }

    fn apply_signature(&mut self, keyword: &str, name: &str, signature: &ApplySignature) {
        self.write(keyword);
        self.write(" ");
        self.write(name);
        self.type_parameters(&signature.type_params);
        self.parameters(&signature.params);
    }

    fn extern_object(&mut self, name: &str, object: &ExternObjectDecl) {
        self.write("extern ");
        self.write(name);
        self.type_parameters(&object.type_params);
        self.write(" ");
        self.open();
        for method in &object.methods {
            self.indent();
            self.annotations(&method.annotations);
            match &method.kind {
                MethodKind::Constructor(params) => {
                    self.write(&method.name.text);
                    self.parameters(params);
                }
                MethodKind::Method(signature) => self.signature(&method.name.text, signature),
                MethodKind::Abstract(signature) => {
                    self.write("abstract ");
                    self.signature(&method.name.text, signature);
                }
            }
            self.write(";\n");
        }
        self.close();
    }

    fn parser(&mut self, name: &str, parser: &ParserDecl) {
        self.apply_signature("parser", name, &parser.signature);
        if let Some(params) = &parser.constructor_params {
            self.parameters(params);
        }
        self.write(" ");
        self.open();
        parser.locals.iter().for_each(|local| self.declaration(local));
        parser.states.iter().for_each(|state| self.state(state));
        self.close();
    }

    fn control(&mut self, name: &str, control: &ControlDecl) {
        self.apply_signature("control", name, &control.signature);
        if let Some(params) = &control.constructor_params {
            self.parameters(params);
        }
        self.write(" ");
        self.open();
        control.locals.iter().for_each(|local| self.declaration(local));
        self.indent();
        self.write("apply ");
        self.block(&control.apply);
        self.write("\n");
        self.close();
    }

    fn fields(&mut self, keyword: &str, name: &str, declared: &FieldsDecl) {
        self.write(keyword);
        self.write(" ");
        self.write(name);
        self.type_parameters(&declared.type_params);
        self.write(" ");
        self.open();
        for field in &declared.fields {
            self.indent();
            self.annotations(&field.annotations);
            self.typed_name(&field.ty, &field.name.text);
            self.write(";\n");
        }
        self.close();
    }

    fn members(&mut self, members: &[EnumMember]) {
        self.open();
        for (at, member) in members.iter().enumerate() {
            self.indent();
            self.write(&member.name.text);
            self.write(if at + 1 < members.len() { ",\n" } else { "\n" });
        }
        self.close();
    }
}

fn needs_semicolon(kind: &DeclKind) -> bool {
    match kind {
        DeclKind::Constant(_)
        | DeclKind::Variable(_)
        | DeclKind::Instantiation(_)
        | DeclKind::ExternFunction(_)
        | DeclKind::ParserType(_)
        | DeclKind::ControlType(_)
        | DeclKind::PackageType(_)
        | DeclKind::Typedef(_)
        | DeclKind::Type(_)
        | DeclKind::ValueSet(_) => true,
        DeclKind::ExternObject(_)
        | DeclKind::Function(_)
        | DeclKind::Action(_)
        | DeclKind::Parser(_)
        | DeclKind::Control(_)
        | DeclKind::Header(_)
        | DeclKind::HeaderUnion(_)
        | DeclKind::Struct(_)
        | DeclKind::Enum(_)
        | DeclKind::SerializableEnum(_)
        | DeclKind::Error(_)
        | DeclKind::MatchKind(_)
        | DeclKind::Table(_) => false,
    }
}
