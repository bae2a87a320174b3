//! Finds the code that is reachable from `main`, for each block.

use std::collections::BTreeSet;

use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    ActionId, ArgValue, Call, Callee, Constructor, ControlId, Expr, ExprKind, FunctionId, ParserId, Program,
    StateId, TableId, Target, Transition, Type, TypeId,
};

/// The role that a block has among the blocks of v1model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Parser,
    Verify,
    Ingress,
    Egress,
    Update,
    Deparser,
}

/// The blocks in the order of the package's arguments.
const ROLES: [Role; 6] =
    [Role::Parser, Role::Verify, Role::Ingress, Role::Egress, Role::Update, Role::Deparser];

/// A program for v1model, by its blocks.
pub(crate) struct Code<'a> {
    pub(crate) program: &'a Program,
    pub(crate) blocks: Vec<Block<'a>>,
}

/// One block of the package with all code that it reaches.
pub(crate) struct Block<'a> {
    pub(crate) program: &'a Program,
    pub(crate) role: Role,
    /// The control that is the block itself; `None` for the parser.
    pub(crate) root: Option<ControlId>,
    pub(crate) parsers: BTreeSet<ParserId>,
    /// The states that are reachable from `start`.
    pub(crate) states: BTreeSet<StateId>,
    pub(crate) controls: BTreeSet<ControlId>,
    pub(crate) actions: BTreeSet<ActionId>,
    pub(crate) functions: BTreeSet<FunctionId>,
    /// The tables that are applied.
    pub(crate) tables: BTreeSet<TableId>,
}

impl<'a> Code<'a> {
    /// Returns the blocks of a program whose `main` is a `V1Switch`.
    pub(crate) fn of_v1model(program: &'a Program) -> Option<Self> {
        let main = &program.instances[program.main?];
        let (package, _) = program.main_package()?;
        if package != "V1Switch" || main.construct.args.len() != ROLES.len() {
            return None;
        }
        let blocks = ROLES.into_iter().zip(&main.construct.args).filter_map(|(role, arg)| {
            let ArgValue::Expr(block) = &arg.value else { return None };
            Block::new(program, role, constructor(program, block)?)
        });
        Some(Self { program, blocks: blocks.collect() })
    }

    /// Returns the control that is the block with this role.
    pub(crate) fn control(&self, role: Role) -> Option<ControlId> {
        self.blocks.iter().find(|block| block.role == role)?.root
    }

    /// Returns the type of the program's own metadata.
    pub(crate) fn metadata(&self) -> Option<TypeId> {
        let ingress = &self.program.controls[self.control(Role::Ingress)?];
        Some(self.program.vars[ingress.params.get(1)?.var].ty)
    }

    /// Visits all code of all blocks.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        self.blocks.iter().for_each(|block| block.visit(visitor));
    }

    /// Returns the tables that are applied, of all blocks.
    pub(crate) fn tables(&self) -> BTreeSet<TableId> {
        self.blocks.iter().flat_map(|block| block.tables.iter().copied()).collect()
    }

    /// Returns the actions that can run, of all blocks.
    pub(crate) fn actions(&self) -> BTreeSet<ActionId> {
        self.blocks.iter().flat_map(|block| block.actions.iter().copied()).collect()
    }
}

/// Returns the constructor of a package's argument.
fn constructor(program: &Program, block: &Expr) -> Option<Constructor> {
    match &block.kind {
        ExprKind::Construct(construct) => Some(construct.constructor),
        ExprKind::Instance(instance) => Some(program.instances[*instance].construct.constructor),
        _ => None,
    }
}

impl<'a> Block<'a> {
    fn new(program: &'a Program, role: Role, constructor: Constructor) -> Option<Self> {
        let mut block = Self {
            program,
            role,
            root: None,
            parsers: BTreeSet::new(),
            states: BTreeSet::new(),
            controls: BTreeSet::new(),
            actions: BTreeSet::new(),
            functions: BTreeSet::new(),
            tables: BTreeSet::new(),
        };
        let root = match constructor {
            Constructor::Parser(parser) => Item::Parser(parser),
            Constructor::Control(control) => {
                block.root = Some(control);
                Item::Control(control)
            }
            _ => return None,
        };
        let mut search = ReachedCode { block, open: vec![root] };
        while let Some(item) = search.open.pop() {
            search.enter(item);
        }
        Some(search.block)
    }

    /// Visits all code of the block: bodies, initializers, keys, transitions.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        let program = self.program;
        for &parser in &self.parsers {
            walk::locals(&program.parsers[parser].locals, visitor);
        }
        self.states.iter().for_each(|&state| walk::state(&program.states[state], visitor));
        for &control in &self.controls {
            walk::locals(&program.controls[control].locals, visitor);
            walk::block(&program.controls[control].body, visitor);
        }
        self.actions.iter().for_each(|&action| walk::block(&program.actions[action].body, visitor));
        self.functions.iter().for_each(|&function| walk::block(&program.functions[function].body, visitor));
        self.tables.iter().for_each(|&table| walk::table(&program.tables[table], visitor));
    }
}

enum Item {
    Parser(ParserId),
    Control(ControlId),
    Action(ActionId),
    Function(FunctionId),
    Table(TableId),
}

/// Finds the code that a block reaches.
struct ReachedCode<'a> {
    block: Block<'a>,
    open: Vec<Item>,
}

impl ReachedCode<'_> {
    /// Adds an item that a block uses, and the items that this item uses.
    fn enter(&mut self, item: Item) {
        let program = self.block.program;
        match item {
            Item::Parser(id) if self.block.parsers.insert(id) => {
                walk::locals(&program.parsers[id].locals, self);
                self.states(program.parsers[id].start);
            }
            Item::Control(id) if self.block.controls.insert(id) => {
                walk::locals(&program.controls[id].locals, self);
                walk::block(&program.controls[id].body, self);
            }
            Item::Action(id) if self.block.actions.insert(id) => {
                walk::block(&program.actions[id].body, self);
            }
            Item::Function(id) if self.block.functions.insert(id) => {
                walk::block(&program.functions[id].body, self);
            }
            Item::Table(id) if self.block.tables.insert(id) => {
                walk::table(&program.tables[id], self);
                let actions = program.tables[id].actions.iter();
                self.open.extend(actions.map(|action| Item::Action(action.action)));
            }
            _ => {}
        }
    }

    /// Adds the states that can be reached from a state.
    fn states(&mut self, start: StateId) {
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            if !self.block.states.insert(id) {
                continue;
            }
            let state = &self.block.program.states[id];
            walk::state(state, self);
            let mut goes_to = |target: &Target| {
                if let Target::State(next) = target {
                    open.push(*next);
                }
            };
            match &state.transition {
                Transition::Direct(target) => goes_to(target),
                Transition::Select { cases, .. } => cases.iter().for_each(|case| goes_to(&case.target)),
            }
        }
    }
}

impl Visitor for ReachedCode<'_> {
    fn call(&mut self, call: &Call) {
        let types = &self.block.program.types;
        match &call.callee {
            Callee::Function(id) => self.open.push(Item::Function(*id)),
            Callee::Action(id) => self.open.push(Item::Action(*id)),
            Callee::ApplyParser(object) | Callee::ApplyControl(object) => match types[object.ty] {
                Type::Parser { decl, .. } => self.open.push(Item::Parser(decl)),
                Type::Control { decl, .. } => self.open.push(Item::Control(decl)),
                _ => {}
            },
            _ => {}
        }
    }

    fn table(&mut self, table: TableId) {
        self.open.push(Item::Table(table));
    }
}
