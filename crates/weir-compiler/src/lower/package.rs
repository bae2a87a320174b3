//! The package instance `main` and its arguments.

use indexmap::IndexSet;
use weir_ir as ir;
use weir_syntax::Span;

use super::context::{Context, Frame};
use super::names;
use super::object::{BlockDeclaration, Object};
use super::value::Value;
use super::{Lowered, Lowerer, scan};
use crate::hir::{self, Declaration};

impl Lowerer<'_> {
    /// Lowers the whole program.
    pub(super) fn program(&mut self) -> Lowered<()> {
        self.number_errors();
        self.declare_enums();
        self.called_actions = scan::called_actions(self.hir);
        self.exiting_controls = scan::exiting_controls(self.hir);
        self.cx = Context { frame: Frame::GLOBAL, ..Context::default() };
        for declaration in &self.hir.declarations {
            // All extern objects are instantiated, since they have state even if they are unused.
            // Blocks and packages are instantiated only if they are reachable from `main`.
            if let Declaration::Instance(instance) = declaration
                && matches!(
                    self.hir.instances[*instance].construct.constructor,
                    hir::Constructor::Extern { .. }
                )
            {
                self.instantiate(*instance)?;
            }
        }
        let Some(main) = self.hir.main else {
            return Ok(());
        };
        match self.instantiate(main)? {
            Object::Package(package) => {
                self.out.main = Some((*package).clone());
                self.controller_headers()?;
                let main = self.hir.instances[main].name.span;
                self.check_storage_size(main)?;
                self.check_path_length(main)
            }
            _ => self.unsupported(self.hir.instances[main].name.span, "a `main` that is not a package"),
        }
    }

    /// Creates the types of headers that controllers see, including those that the program does not
    /// use.
    fn controller_headers(&mut self) -> Lowered<()> {
        for (decl, record) in self.hir.records.iter() {
            let is_annotated =
                record.annotations.contains("controller_header") && record.type_params.is_empty();
            if is_annotated && record.kind == hir::RecordKind::Header {
                let ty = self.types.intern(hir::Type::Record { decl, args: Vec::new() });
                self.header_type(ty, record.name.span)?;
            }
        }
        Ok(())
    }

    /// Numbers the errors. If there are parsers, the errors of core.p4, which parsers raise, come
    /// first, whether the program declares them or not.
    fn number_errors(&mut self) {
        let declared = self.hir.errors.iter().map(|(_, error)| error.0.name.text.clone());
        let mut errors: IndexSet<String> = if self.hir.parsers.is_empty() {
            IndexSet::new()
        } else {
            ir::CoreErrors::NAMES.iter().map(ToString::to_string).collect()
        };
        self.errors = declared.map(|name| errors.insert_full(name).0).collect();
        self.out.errors = errors.into_iter().collect();
    }

    /// Evaluates the arguments of a package instance.
    pub(super) fn package(
        &mut self,
        decl: hir::PackageId,
        arguments: Vec<(hir::VarId, Value)>,
        name: &str,
        annotations: &hir::Annotations,
        span: Span,
    ) -> Lowered<ir::Package> {
        let mut args = Vec::with_capacity(arguments.len());
        let mut refused = None;
        for (param, value) in arguments {
            match self.package_argument(value, span) {
                Ok(arg) => args.push((self.hir.vars[param].name.text.clone(), arg)),
                // Continue, to report errors in the other blocks as well.
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused {
            return Err(error);
        }
        let loc = self.loc(span);
        Ok(ir::Package {
            kind: self.hir.packages[decl].name.text.clone(),
            name: name.to_string(),
            args,
            annotations: names::annotations(annotations),
            loc,
        })
    }

    fn package_argument(&mut self, value: Value, span: Span) -> Lowered<ir::PackageArg> {
        match value {
            Value::Object(Object::Block(block)) => {
                if let Some(lowered) = &self.blocks[block].lowered {
                    return Ok(lowered.clone());
                }
                let lowered = match self.blocks[block].declaration {
                    BlockDeclaration::Parser(decl) => {
                        ir::PackageArg::Parser(self.package_parser(block, decl)?)
                    }
                    BlockDeclaration::Control(decl) => {
                        ir::PackageArg::Control(self.package_control(block, decl)?)
                    }
                };
                self.blocks[block].lowered = Some(lowered.clone());
                Ok(lowered)
            }
            Value::Object(Object::Package(package)) => {
                Ok(ir::PackageArg::Package(Box::new((*package).clone())))
            }
            value => Ok(ir::PackageArg::Const(self.constant_argument(value, span)?)),
        }
    }
}
