//! Controls: those that the package uses, and those that other controls apply.

use std::rc::Rc;

use num_bigint::BigInt;
use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::args::{Argument, Given};
use super::blocks::{BlockDeclaration, Object};
use super::context::{Binding, BodyKind, Context};
use super::fold;
use super::names::NameKind;
use super::place::Place;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer, scan};
use crate::hir::{self, Direction, ExprKind, Local, Type};

/// How an applied block's parameter gets its argument.
#[derive(Clone, Debug)]
pub(super) enum Passing {
    /// The parameter is another name for the argument's storage: this is the only application, and no other argument
    /// shares the storage, so that copying in and out would make no difference.
    Bound(Store),
    /// Copied into and out of storage of its own.
    Copied(Store),
    /// An extern object or packet: nothing to do at run time, unless it is a choice between objects.
    Fixed(Option<Object>),
    /// A number without width or a string, the same in all applications.
    Constant(Option<Constant>),
}

/// What a parameter stands for in all applications of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Int(BigInt),
    Text(String),
}

impl Constant {
    fn of(argument: &Argument) -> Option<Self> {
        match &argument.given {
            Given::Value(Value::Int(value)) => Some(Self::Int(value.clone())),
            Given::Value(Value::Text(text)) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Int(value) => Value::Int(value),
            Self::Text(text) => Value::Text(text),
        }
    }
}

/// A control's procedure for the controls that apply it.
#[derive(Debug)]
pub(super) struct SubControl {
    procedure: ir::ProcedureId,
    passing: Vec<Passing>,
    may_unwind: bool,
    /// It was made for one application that is the only one.
    only_application: bool,
}

impl Lowerer<'_> {
    /// Lowers a control that the package uses.
    pub(super) fn package_control(&mut self, block: usize, decl: hir::ControlId) -> Lowered<ir::ControlId> {
        let control = &self.hir.controls[decl];
        let frame = self.open_frame(block, false);
        let storage = self.frames[frame].storage.clone();
        let context = Context { frame, kind: BodyKind::Control, storage, once: true, ..Context::default() };
        let (params, context) = self.within(context, |this| {
            let params = this.package_params(&control.params)?;
            let locals = this.locals(&control.locals);
            this.block(&control.body).and(locals)?;
            Ok(params)
        });
        let name = self.names.unique(NameKind::Block, &self.blocks[block].control_plane);
        let loc = self.loc(control.name.span);
        Ok(self.out.controls.push(ir::Control { name, params: params?, body: Block(context.output), loc }))
    }

    /// Storage for the run-time parameters of a block that the package uses; packets have none.
    pub(super) fn package_params(&mut self, params: &[hir::Param]) -> Lowered<Vec<ir::Param>> {
        let mut lowered = Vec::with_capacity(params.len());
        for param in params {
            let declaration = &self.hir.vars[param.var];
            let store = self.declare(param.var)?;
            if store == Store::Nothing {
                continue;
            }
            let prefix = super::names::join(&self.cx.storage, &declaration.name.text);
            lowered.push(ir::Param {
                name: declaration.name.text.clone(),
                direction: match param.direction {
                    Direction::None | Direction::In => ir::Direction::In,
                    Direction::Out => ir::Direction::Out,
                    Direction::InOut => ir::Direction::InOut,
                },
                type_name: self.type_name(declaration.ty),
                storage: self.storage(&store, &prefix),
            });
        }
        Ok(lowered)
    }

    /// Declares what stands at the top of a block's body and emits its initialisation.
    pub(super) fn locals(&mut self, locals: &[Local]) -> Lowered<()> {
        let mut result = Ok(());
        for local in locals {
            if self.is_too_large() {
                break;
            }
            let lowered = match local {
                Local::Var { var, init } => self.declare_local(*var, init.as_ref()),
                Local::Const(_) => Ok(()),
                Local::Instance(instance) => self.instantiate(*instance).map(|_| ()),
                Local::Action(action) => self.declare_action(*action).map(|_| ()),
                Local::Table(table) => self.declare_table(*table),
                Local::ValueSet(set) => self.value_set(*set).map(|_| ()),
            };
            if lowered.is_err() {
                result = lowered;
            }
        }
        result
    }

    /// `instance.apply(…)` of a control.
    pub(super) fn apply_control(&mut self, object: &hir::Expr, call: &hir::Call) -> Lowered<()> {
        let Value::Object(Object::Block(block)) = self.value(object)? else {
            return self.unsupported(object.span, "applying this");
        };
        let BlockDeclaration::Control(decl) = self.blocks[block].declaration else {
            return self.unsupported(object.span, "applying a parser in a control");
        };
        let params = &self.hir.controls[decl].params;
        let arguments = self.arguments(params, &call.args, &[], &[])?;
        let known = self.blocks[block].sub_control.clone();
        let sub_control = match known {
            Some(known) => {
                if known.only_application {
                    self.known.note_copied(block);
                }
                known
            }
            None => {
                let only_application = self.is_only_application(object, block);
                let passing = self.passing(params, &arguments, only_application, block)?;
                let lowered = Rc::new(self.sub_control(block, decl, passing, only_application)?);
                self.blocks[block].sub_control = Some(lowered.clone());
                lowered
            }
        };
        let unwinds = self.blocks[block].frame.is_some_and(|frame| self.frames[frame].unwind);
        if self.cx.unwind && !unwinds && scan::control_may_exit(self.hir, decl) {
            self.known.note_unwinding(block);
        }
        self.pass_in(block, &sub_control.passing, &arguments)?;
        self.emit(StmtKind::Call(sub_control.procedure));
        self.pass_out(&sub_control.passing, &arguments)?;
        if sub_control.may_unwind {
            self.pass_exit_on();
        }
        Ok(())
    }

    /// Decides how each parameter of an applied block gets its argument, and makes storage where one is copied.
    /// The block's frame is opened in passing.
    pub(super) fn passing(
        &mut self,
        params: &[hir::Param],
        arguments: &[Argument],
        only_application: bool,
        block: usize,
    ) -> Lowered<Vec<Passing>> {
        let frame = self.open_frame(block, false);
        let storage = self.frames[frame].storage.clone();
        let mut passing = Vec::with_capacity(params.len());
        for (position, param) in params.iter().enumerate() {
            let ty = self.hir.vars[param.var].ty;
            if matches!(self.types[ty], Type::Int | Type::String) {
                let constant = Constant::of(&arguments[position]);
                let bound = constant.clone().map_or(Value::Nothing, Constant::value);
                self.frames[frame].vars.insert(param.var, Binding::Value(bound));
                passing.push(Passing::Constant(constant));
                continue;
            }
            if matches!(self.types[ty], Type::Extern { .. }) {
                let several = self.known.objects(block, position).map(Rc::<[ir::ExternId]>::from);
                let object = match (several, &arguments[position].given) {
                    (Some(objects), _) => {
                        let context = Context { frame, storage: storage.clone(), ..Context::default() };
                        let chosen = self.within(context, |this| Ok(this.temporary_var(fold::U32))).0?;
                        Some(Object::Choice(chosen, objects))
                    }
                    (None, Given::Value(Value::Object(object))) => Some(object.clone()),
                    _ => None,
                };
                let bound = object.clone().map_or(Value::Nothing, Value::Object);
                self.frames[frame].vars.insert(param.var, Binding::Value(bound));
                passing.push(Passing::Fixed(object));
                continue;
            }
            let shared = only_application.then(|| self.bindable(arguments, position)).flatten();
            passing.push(match shared {
                Some(store) => {
                    self.frames[frame].vars.insert(param.var, Binding::Store(store.clone()));
                    Passing::Bound(store)
                }
                None => {
                    let context = Context { frame, storage: storage.clone(), ..Context::default() };
                    Passing::Copied(self.within(context, |this| this.declare(param.var)).0?)
                }
            });
        }
        Ok(passing)
    }

    /// Whether an instance is applied at one place only, this one.
    pub(super) fn is_only_application(&self, object: &hir::Expr, block: usize) -> bool {
        let ExprKind::Instance(instance) = object.kind else { return false };
        let frame = &self.frames[self.cx.frame];
        frame.instances.contains_key(&instance)
            && frame.applications.get(&instance) == Some(&1)
            && !self.known.is_copied(block)
    }

    /// The storage of an argument that its parameter may share.
    fn bindable(&self, arguments: &[Argument], position: usize) -> Option<Store> {
        let argument = &arguments[position];
        let store = argument.static_store()?;
        if argument.is_written() && self.depends_on_surroundings(store) {
            return None;
        }
        let vars = self.vars_of(store);
        let clashes = arguments.iter().enumerate().any(|(other, against)| {
            let written = argument.is_written() || against.is_written();
            other != position
                && written
                && match against.static_store() {
                    Some(store) => self.vars_of(store).iter().any(|var| vars.contains(var)),
                    // A value or a place chosen at run time may read or write anything.
                    None => against.touches(self, &vars),
                }
        });
        (!clashes).then(|| store.clone())
    }

    /// Whether writes to the store mean something else than writes to a variable of its type: they vanish in a field of an
    /// invalid header, and turn a union's other headers invalid.
    fn depends_on_surroundings(&self, store: &Store) -> bool {
        match store {
            Store::Header { id, .. } => self.union_siblings.contains_key(id),
            Store::Scalar(var) => self.out.vars[*var].role != ir::VarRole::Plain,
            Store::Group(members) | Store::Array(members) => {
                members.iter().any(|member| self.depends_on_surroundings(member))
            }
            Store::Union(_) | Store::Stack { .. } | Store::Nothing => false,
        }
    }

    fn sub_control(
        &mut self,
        block: usize,
        decl: hir::ControlId,
        passing: Vec<Passing>,
        only_application: bool,
    ) -> Lowered<SubControl> {
        let control = &self.hir.controls[decl];
        let copies_out = passing.iter().zip(&control.params).any(|(passing, param)| {
            matches!(passing, Passing::Copied(_))
                && matches!(param.direction, Direction::Out | Direction::InOut)
        });
        let unwind = self.cx.unwind
            || (copies_out && scan::control_may_exit(self.hir, decl))
            || self.known.is_unwinding(block);
        let frame = self.blocks[block].frame.unwrap_or(0);
        self.frames[frame].unwind = unwind;
        let storage = self.frames[frame].storage.clone();
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: storage.clone(),
            once: self.cx.once && only_application,
            unwind,
            ..Context::default()
        };
        let (lowered, context) = self.within(context, |this| {
            let locals = this.locals(&control.locals);
            this.block(&control.body).and(locals)
        });
        lowered?;
        let name = self.names.unique(NameKind::Procedure, &storage);
        let loc = self.loc(control.name.span);
        let procedure = self.out.procedures.push(ir::Procedure { name, body: Block(context.output), loc });
        Ok(SubControl { procedure, passing, may_unwind: context.may_unwind, only_application })
    }

    /// Copies arguments in; `out` parameters start at zero.
    pub(super) fn pass_in(
        &mut self,
        block: usize,
        passing: &[Passing],
        arguments: &[Argument],
    ) -> Lowered<()> {
        for (position, (passing, argument)) in passing.iter().zip(arguments).enumerate() {
            match passing {
                Passing::Bound(store) if argument.static_store() == Some(store) => {}
                Passing::Bound(_) => self.known.note_copied(block),
                Passing::Copied(store) => self.copy_in(store, argument)?,
                Passing::Constant(constant) => {
                    if Constant::of(argument) != *constant {
                        return self.unsupported(
                            argument.span,
                            "applying one instance with different strings or numbers without width",
                        );
                    }
                }
                Passing::Fixed(object) => {
                    if let (Some(object), Given::Value(Value::Object(given))) = (object, &argument.given) {
                        self.pass_object(block, position, object, given, argument.span)?;
                    }
                }
            }
        }
        // Only now, since a copied argument may read what a bound `out` parameter clears.
        for (passing, argument) in passing.iter().zip(arguments) {
            if let Passing::Bound(store) = passing
                && argument.direction == Direction::Out
            {
                self.reset(store);
            }
        }
        Ok(())
    }

    /// Lets a parameter stand for the extern object that this application gives.
    fn pass_object(
        &mut self,
        block: usize,
        position: usize,
        object: &Object,
        given: &Object,
        span: weir_syntax::Span,
    ) -> Lowered<()> {
        if let BlockDeclaration::Parser(decl) = self.blocks[block].declaration {
            // A parser's states are made anew for each application.
            let param = self.hir.parsers[decl].params[position].var;
            if let Some(frame) = self.blocks[block].frame {
                self.frames[frame].vars.insert(param, Binding::Value(Value::Object(given.clone())));
            }
            return Ok(());
        }
        match (object, given) {
            (Object::Choice(chosen, objects), Object::Extern(given)) => {
                match objects.iter().position(|object| object == given) {
                    Some(index) => self.set(*chosen, fold::u32_const(index as u32)),
                    None => self.known.note_objects(block, position, &[*given]),
                }
                Ok(())
            }
            (Object::Extern(first), Object::Extern(given)) => {
                if first != given {
                    self.known.note_objects(block, position, &[*first, *given]);
                }
                Ok(())
            }
            _ if object == given => Ok(()),
            _ => self.unsupported(span, "passing this to a block"),
        }
    }

    /// Copies results out, in the order of the arguments.
    pub(super) fn pass_out(&mut self, passing: &[Passing], arguments: &[Argument]) -> Lowered<()> {
        let stores: Vec<Option<&Store>> = passing
            .iter()
            .map(|passing| match passing {
                Passing::Copied(store) => Some(store),
                _ => None,
            })
            .collect();
        self.copy_out(&stores, arguments)
    }
}

impl Argument {
    /// The known storage that the argument names as a whole.
    fn static_store(&self) -> Option<&Store> {
        match &self.place {
            Some(Place::Store(store)) if !self.saved || self.direction == Direction::Out => Some(store),
            _ => None,
        }
    }

    fn is_written(&self) -> bool {
        matches!(self.direction, Direction::Out | Direction::InOut)
    }

    /// Whether the argument may read or write one of the variables.
    fn touches(&self, lowerer: &Lowerer, vars: &[ir::VarId]) -> bool {
        let place = match &self.place {
            Some(place) => lowerer.read(place).reads(),
            None => Vec::new(),
        };
        let value = match &self.given {
            // A value is copied in before anything else happens.
            Given::Value(_) | Given::Omitted => Vec::new(),
            Given::InOut(value) => value.reads(),
            Given::Out => Vec::new(),
        };
        place.iter().chain(&value).any(|var| vars.contains(var))
    }
}
