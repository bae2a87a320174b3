//! Instances: extern objects, and parsers and controls with their constructor arguments.

use std::rc::Rc;

use weir_ir as ir;
use weir_syntax::{Diagnostic, Span};

use super::context::{Binding, Context, Frame};
use super::control::SubControl;
use super::fold;
use super::names::{self, NameKind, qualified_name};
use super::object::{BlockDeclaration, Object};
use super::param_binding::ParamBinding;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, ArgValue, Constructor, ExprKind};

/// A parser or control with the values of its constructor parameters.
#[derive(Debug)]
pub(super) struct BlockInstance {
    pub declaration: BlockDeclaration,
    /// The name of the package of which it is an argument, if it is one.
    pub package: Option<String>,
    /// The path of the instance in the control plane.
    pub control_plane: String,
    /// The unique prefix of the names of its variables.
    pub storage: String,
    pub arguments: Vec<(hir::VarId, Value)>,
    /// The type arguments, one for each type parameter of the declaration.
    pub type_args: Vec<hir::TypeId>,
    /// The lowered block as an argument of the package, once lowered.
    pub lowered: Option<ir::PackageArg>,
    /// The frame with its names, once another block applies it.
    pub frame: Option<usize>,
    /// The procedure that other controls call, once another control applies it.
    pub sub_control: Option<Rc<SubControl>>,
    /// The way in which the parameters receive their arguments. Set when another parser applies
    /// this parser.
    pub sub_parser: Option<Rc<Vec<ParamBinding>>>,
}

impl Lowerer<'_> {
    /// Returns the object that an instance's name refers to in the current frame.
    pub(super) fn object(&mut self, instance: hir::InstanceId, span: Span) -> Lowered<Object> {
        for frame in [self.cx.frame, Frame::GLOBAL] {
            if let Some(object) = self.frames[frame].instances.get(&instance) {
                return Ok(object.clone());
            }
        }
        if !self
            .hir
            .declarations
            .iter()
            .any(|declared| matches!(declared, hir::Declaration::Instance(id) if *id == instance))
        {
            return self.unknown(span, "a use of this instance at this place");
        }
        let context = Context { frame: Frame::GLOBAL, ..Context::default() };
        self.in_context(context, |this| this.instantiate(instance)).0
    }

    /// Instantiates a declared instance in the current frame, unless that has been done.
    pub(super) fn instantiate(&mut self, instance: hir::InstanceId) -> Lowered<Object> {
        let frame = self.cx.frame;
        if let Some(object) = self.frames[frame].instances.get(&instance) {
            return Ok(object.clone());
        }
        self.count_item(self.hir.instances[instance].name.span)?;
        let declaration = &self.hir.instances[instance];
        let control_plane = names::control_plane(
            &self.frames[frame].control_plane,
            &declaration.name.text,
            &declaration.annotations,
        );
        let storage = qualified_name(&self.frames[frame].storage, &declaration.name.text);
        let object = self.construct(
            &declaration.construct,
            Some(declaration.ty),
            &control_plane,
            &storage,
            &declaration.annotations,
            declaration.name.span,
        )?;
        self.frames[frame].instances.insert(instance, object.clone());
        if let Object::Extern(id) = object
            && !declaration.methods.is_empty()
        {
            self.implement(declaration, id, &control_plane, &storage)?;
        }
        Ok(object)
    }

    /// Creates an instance without a name, as an argument of another constructor. Its control-plane
    /// name is the declared name of its type: `@name` counts only on instances (P4_16 section
    /// 18.3.2). If a block of another package has this name, it comes after the name of the package
    /// that contains this block: TNA's pipes may use the same control.
    pub(super) fn construct_unnamed(&mut self, construct: &hir::Construct) -> Lowered<Object> {
        self.count_item(construct.span)?;
        let name = match construct.constructor {
            Constructor::Extern { decl, .. } => &self.hir.externs[decl].name,
            Constructor::Parser(decl) => &self.hir.parsers[decl].name,
            Constructor::Control(decl) => &self.hir.controls[decl].name,
            Constructor::Package(decl) => &self.hir.packages[decl].name,
        };
        let frame = &self.frames[self.cx.frame];
        let mut control_plane = qualified_name(&frame.control_plane, &name.text);
        let storage = qualified_name(&frame.storage, &name.text);
        let package = self.packages.last();
        let in_other =
            |block: &BlockInstance| block.control_plane == control_plane && block.package.as_ref() != package;
        if let Some(package) = package.filter(|_| self.blocks.iter().any(in_other)) {
            control_plane = format!("{package}.{control_plane}");
        }
        self.construct(
            construct,
            None,
            &control_plane,
            &storage,
            &hir::Annotations::default(),
            construct.span,
        )
    }

    /// Evaluates a constructor call to a compile-time object.
    pub(super) fn construct(
        &mut self,
        construct: &hir::Construct,
        ty: Option<hir::TypeId>,
        control_plane: &str,
        storage: &str,
        annotations: &hir::Annotations,
        span: Span,
    ) -> Lowered<Object> {
        match construct.constructor {
            Constructor::Extern { decl, constructor } => {
                let params = match self.hir.externs[decl].constructors.get(constructor) {
                    Some(signature) => signature.params.as_slice(),
                    None => &[],
                };
                let arguments = self.constructor_arguments(params, construct)?;
                let args = arguments
                    .into_iter()
                    .map(|(_, value)| self.constant_argument(value, construct.span))
                    .collect::<Lowered<_>>()?;
                let type_args = match ty.map(|ty| self.ty(ty)).map(|ty| self.types[ty].clone()) {
                    Some(hir::Type::Extern { args, .. }) => args,
                    _ => construct.type_args.clone(),
                };
                let params = self.hir.externs[decl].type_params.iter().zip(&type_args);
                let mut unknown = params.filter(|(_, arg)| **arg == hir::Types::ANY);
                if unknown.any(|(&param, _)| self.hir.returns_values_of(decl, param)) {
                    return self.unsupported(span, "`_` as the type of the values in an object");
                }
                let declared = self.declared_args(&type_args);
                let mut flat = Vec::new();
                for ty in type_args {
                    self.flatten_type(ty, &mut flat);
                }
                self.claim_name(NameKind::Extern, control_plane, span)?;
                let loc = self.loc(span);
                let id = self.out.externs.push(ir::ExternInstance {
                    name: control_plane.to_string(),
                    kind: self.hir.externs[decl].name.text.clone(),
                    type_args: flat,
                    declared,
                    factory: None,
                    args,
                    methods: Vec::new(),
                    annotations: names::annotations(annotations),
                    loc,
                });
                Ok(Object::Extern(id))
            }
            Constructor::Parser(decl) => {
                self.add_block(BlockDeclaration::Parser(decl), construct, control_plane, storage)
            }
            Constructor::Control(decl) => {
                self.add_block(BlockDeclaration::Control(decl), construct, control_plane, storage)
            }
            Constructor::Package(decl) => {
                self.packages.push(control_plane.to_owned());
                let arguments = self.constructor_arguments(&self.hir.packages[decl].params, construct);
                self.packages.pop();
                let arguments = arguments?;
                let package = self.package(decl, arguments, control_plane, annotations, span)?;
                Ok(Object::Package(Rc::new(package)))
            }
        }
    }

    fn add_block(
        &mut self,
        declaration: BlockDeclaration,
        construct: &hir::Construct,
        control_plane: &str,
        storage: &str,
    ) -> Lowered<Object> {
        let params = match declaration {
            BlockDeclaration::Parser(decl) => &self.hir.parsers[decl].constructor_params,
            BlockDeclaration::Control(decl) => &self.hir.controls[decl].constructor_params,
        };
        let arguments = self.constructor_arguments(params, construct)?;
        let type_args = construct.type_args.iter().map(|&arg| self.ty(arg)).collect();
        let storage = self.names.unique(NameKind::Storage, storage);
        self.blocks.push(BlockInstance {
            declaration,
            package: self.packages.last().cloned(),
            control_plane: control_plane.to_string(),
            storage,
            arguments,
            type_args,
            lowered: None,
            frame: None,
            sub_control: None,
            sub_parser: None,
        });
        Ok(Object::Block(self.blocks.len() - 1))
    }

    /// Creates the frame in which the names of a block are resolved.
    pub(super) fn open_frame(&mut self, block: usize, unwind: bool) -> usize {
        let instance = &self.blocks[block];
        let mut frame = Frame {
            storage: instance.storage.clone(),
            control_plane: instance.control_plane.clone(),
            unwind,
            type_params: match instance.declaration {
                BlockDeclaration::Control(decl) => self.hir.controls[decl].type_params.clone(),
                BlockDeclaration::Parser(decl) => self.hir.parsers[decl].type_params.clone(),
            },
            type_args: instance.type_args.clone(),
            ..Frame::default()
        };
        for (var, value) in &instance.arguments {
            frame.vars.insert(*var, Binding::Value(value.clone()));
        }
        match instance.declaration {
            BlockDeclaration::Control(decl) => {
                super::scan::applications(&self.hir.controls[decl].body.stmts, &mut frame.applications);
            }
            BlockDeclaration::Parser(decl) => {
                for &state in &self.hir.parsers[decl].states {
                    super::scan::applications(&self.hir.states[state].stmts, &mut frame.applications);
                }
            }
        }
        self.frames.push(frame);
        let frame = self.frames.len() - 1;
        self.blocks[block].frame = Some(frame);
        frame
    }

    /// Evaluates the arguments of a constructor, without omitted optional ones.
    fn constructor_arguments(
        &mut self,
        params: &[hir::Param],
        construct: &hir::Construct,
    ) -> Lowered<Vec<(hir::VarId, Value)>> {
        let mut arguments = Vec::with_capacity(params.len());
        for (param, arg) in params.iter().zip(&construct.args) {
            match &arg.value {
                ArgValue::Expr(expr) => {
                    let value = match &expr.kind {
                        ExprKind::Construct(inner) => Value::Object(self.construct_unnamed(inner)?),
                        _ => self.constant_value(expr)?,
                    };
                    arguments.push((param.var, value));
                }
                ArgValue::Omitted => {}
                ArgValue::DontCare => return self.unsupported(arg.span, "`_` as a constructor argument"),
            }
        }
        Ok(arguments)
    }

    /// Evaluates an expression of any type at compile time.
    pub(super) fn constant_value(&mut self, expr: &hir::Expr) -> Lowered<Value> {
        let ty = self.ty(expr.ty);
        if let (ExprKind::Call(call), hir::Type::Extern { decl, args }) = (&expr.kind, self.types[ty].clone())
            && let hir::Callee::ExternFunction(function) = call.callee
        {
            return self.create_by_function(function, call, decl, args).map(Value::Object);
        }
        let (value, stmts) = self.collect(|this| this.value(expr))?;
        if stmts.is_empty() && value.is_constant() {
            return Ok(value);
        }
        self.refuse(
            Diagnostic::error("not-a-constant", "expected a compile-time constant").primary(expr.span, ""),
        )
    }

    /// Creates the object that an extern function returns. The call runs once, at compile time,
    /// like a constructor.
    fn create_by_function(
        &mut self,
        function: hir::ExternFunctionId,
        call: &hir::Call,
        decl: hir::ExternId,
        type_args: Vec<hir::TypeId>,
    ) -> Lowered<Object> {
        let signature = &self.hir.extern_functions[function].0;
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            match &arg.value {
                ArgValue::Expr(expr) => {
                    let value = self.constant_value(expr)?;
                    args.push(self.constant_argument(value, arg.span)?);
                }
                ArgValue::Omitted => {}
                ArgValue::DontCare => return self.unsupported(arg.span, "`_` as an argument of a factory"),
            }
        }
        let frame = &self.frames[self.cx.frame];
        let kind = self.hir.externs[decl].name.text.clone();
        let name = names::control_plane(&frame.control_plane, &kind, &self.hir.externs[decl].annotations);
        let declared = self.declared_args(&type_args);
        let mut flat = Vec::new();
        type_args.into_iter().for_each(|ty| self.flatten_type(ty, &mut flat));
        self.claim_name(NameKind::Extern, &name, call.span)?;
        let loc = self.loc(call.span);
        Ok(Object::Extern(self.out.externs.push(ir::ExternInstance {
            name,
            kind,
            type_args: flat,
            declared,
            factory: Some(signature.name.text.clone()),
            args,
            methods: Vec::new(),
            annotations: Vec::new(),
            loc,
        })))
    }

    /// Converts a constructor argument to the IR.
    pub(super) fn constant_argument(&mut self, value: Value, span: Span) -> Lowered<ir::ConstArg> {
        Ok(match value {
            Value::Scalar(expr) => match fold::as_const(&expr) {
                Some(bits) => ir::ConstArg::Bits(expr.ty, bits.clone()),
                None => return self.unsupported(span, "a run-time value as a constructor argument"),
            },
            Value::Int(value) => {
                let width = u32::try_from(value.bits() + 1).unwrap_or(u32::MAX);
                ir::ConstArg::Bits(ir::Type::int(width), ir::Bits::wrap_signed(width, &value))
            }
            Value::Text(text) => ir::ConstArg::Text(text),
            Value::Object(Object::Extern(id)) => ir::ConstArg::Extern(id),
            Value::Object(_) | Value::Nothing => {
                return self.unsupported(span, "a parser or control as an argument of an extern object");
            }
            Value::Group(items) | Value::Union(items) => self.constant_list(items, span)?,
            Value::Header { members, .. } => self.constant_list(members, span)?,
            Value::Array { elements, .. } => self.constant_list(elements, span)?,
        })
    }

    fn constant_list(&mut self, items: Vec<Value>, span: Span) -> Lowered<ir::ConstArg> {
        let items =
            items.into_iter().map(|item| self.constant_argument(item, span)).collect::<Lowered<_>>()?;
        Ok(ir::ConstArg::List(items))
    }

    /// Reserves a control-plane name, which must be unique among names of its kind.
    pub(super) fn claim_name(&mut self, kind: NameKind, name: &str, span: Span) -> Lowered<()> {
        if self.names.claim(kind, name) {
            return Ok(());
        }
        let kind_name = match kind {
            NameKind::Table => "table",
            NameKind::Action => "action",
            NameKind::ValueSet => "value set",
            _ => "object",
        };
        self.refuse(
            Diagnostic::error(
                "duplicate-control-plane-name",
                format!("two {kind_name}s have the control-plane name `{name}`"),
            )
            .primary(span, "the second declaration")
            .note("rename one of them with `@name(\"…\")`, or instantiate the enclosing block only once"),
        )
    }
}
