//! Declared types and annotations.

use crate::annotation::{Annotation, AnnotationArg, AnnotationForm, AnnotationValue};
use crate::arena::Id;
use crate::program::PropertyValue;
use crate::types::declared::{DataType, DeclaredKind, DeclaredMember, DeclaredType, DeclaredTypeId};

use super::super::lex::Word;
use super::{Reader, Result};

impl Reader {
    /// Reads a declared type: `NAME { KIND } @annotations @LINE:COLUMN`.
    pub(super) fn declared_type(&mut self) -> Result<()> {
        let name = self.name("a name")?;
        self.expect("{")?;
        let kind = match self.name("a kind of type")?.as_str() {
            "new" => DeclaredKind::New(self.data_type()?),
            "enum" if matches!(self.next_word(), Word::Symbol("<")) => self.serializable()?,
            "enum" => DeclaredKind::Enum(self.known_name("an enumeration", |names| &names.enums)?),
            "struct" => DeclaredKind::Struct(self.declared_members()?),
            "header" => DeclaredKind::Header(self.declared_members()?),
            "union" => DeclaredKind::Union(self.declared_members()?),
            _ => return self.error_before("expected `new`, `enum`, `struct`, `header` or `union`".into()),
        };
        self.expect("}")?;
        self.define(&name, Id::new(self.program.declared.len()), |names| &mut names.declared)?;
        let annotations = self.annotations()?;
        let loc = self.loc();
        self.program.declared.push(DeclaredType { name, kind, annotations, loc });
        Ok(())
    }

    /// Parses the underlying type and the members of an enum with values.
    fn serializable(&mut self) -> Result<DeclaredKind> {
        let underlying = self.ty()?;
        self.expect("{")?;
        let members = self.list("}", |reader| {
            let name = reader.name("a member")?;
            reader.expect("=")?;
            let value = reader.int()?;
            match value.to_biguint() {
                Some(value) => Ok((name, value)),
                None => reader.error_before(format!("{value} is negative")),
            }
        })?;
        Ok(DeclaredKind::Serializable { underlying, members })
    }

    fn declared_members(&mut self) -> Result<Vec<DeclaredMember>> {
        self.expect("{")?;
        self.list("}", |reader| {
            let name = reader.name("a member")?;
            reader.expect(":")?;
            Ok(DeclaredMember { name, ty: reader.data_type()? })
        })
    }

    fn data_type(&mut self) -> Result<DataType> {
        self.read_nested(|reader| {
            let generic = matches!(reader.next_word(), Word::Symbol("<"));
            if generic && reader.eat_keyword("tuple") {
                reader.expect("<")?;
                return Ok(DataType::Tuple(reader.list(">", Self::data_type)?));
            }
            if generic && reader.eat_keyword("stack") {
                reader.expect("<")?;
                let element = Box::new(reader.data_type()?);
                reader.expect(",")?;
                let size = reader.unsigned()?;
                reader.expect(">")?;
                return Ok(DataType::Stack { element, size });
            }
            if generic || reader.is_keyword("bool") || reader.is_keyword("error") {
                return Ok(DataType::Scalar(reader.ty()?));
            }
            Ok(DataType::Named(reader.known_name("a declared type", |names| &names.declared)?))
        })
    }

    /// Reads `as NAME`, if it follows.
    pub(super) fn declared(&mut self) -> Result<Option<DeclaredTypeId>> {
        if !self.eat_keyword("as") {
            return Ok(None);
        }
        Ok(Some(self.known_name("a declared type", |names| &names.declared)?))
    }

    /// Reads `as <TYPES>`, if it follows.
    pub(super) fn declared_args(&mut self) -> Result<Vec<DataType>> {
        if !self.eat_keyword("as") {
            return Ok(Vec::new());
        }
        self.expect("<")?;
        self.list(">", Self::data_type)
    }

    /// Parses the annotations before an item.
    pub(super) fn annotations(&mut self) -> Result<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.eat("@") {
            let name = self.name("an annotation's name")?;
            let (args, form) = if self.eat("[") {
                (self.list("]", Self::annotation_arg)?, AnnotationForm::Structured)
            } else if self.eat("(") {
                self.annotation_body()?
            } else {
                (Vec::new(), AnnotationForm::Bare)
            };
            annotations.push(Annotation { name, args, form });
        }
        Ok(annotations)
    }

    /// Reads an annotation's arguments, and the tokens of its body (`; "tokens"`) if the body has
    /// an unusual form.
    fn annotation_body(&mut self) -> Result<(Vec<AnnotationArg>, AnnotationForm)> {
        let mut args = Vec::new();
        while !self.is_symbol(")") && !self.is_symbol(";") {
            args.push(self.annotation_arg()?);
            if !self.is_symbol(")") && !self.is_symbol(";") && !self.eat(",") {
                return self.expected_error("`,`, `;` or `)`");
            }
        }
        let mut form = AnnotationForm::usual(&args);
        if self.eat(";") {
            let body = self.text()?;
            if args.is_empty() {
                args.push(AnnotationArg { key: None, value: AnnotationValue::Text(body.clone()) });
            }
            form = AnnotationForm::Unstructured(body);
        }
        self.expect(")")?;
        Ok((args, form))
    }

    fn annotation_arg(&mut self) -> Result<AnnotationArg> {
        let keyed = matches!(self.next_word(), Word::Symbol("="));
        let key = if keyed { Some(self.name("a key")?) } else { None };
        if keyed {
            self.expect("=")?;
        }
        let value = match self.property()? {
            PropertyValue::Int(value) => AnnotationValue::Int(value),
            PropertyValue::Bool(value) => AnnotationValue::Bool(value),
            PropertyValue::Text(value) => AnnotationValue::Text(value),
            PropertyValue::Call(_) => return self.expected_error("a constant"),
        };
        Ok(AnnotationArg { key, value })
    }
}
