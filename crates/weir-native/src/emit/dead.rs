//! Removes unused code. Cranelift does not remove unused loads and block parameters, and a parser
//! that uses few of its extracted fields has many of them.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, BlockArg, BlockCall, Function, Inst, Value, ValueDef};

/// A branch to a block: the instruction, the index of the destination, and the values that it
/// passes.
type Edge = (Inst, usize, Vec<Option<Value>>);

/// Removes unreachable blocks, and loads, pure instructions and block parameters without use.
pub(super) fn remove(func: &mut Function) {
    let edges = reachable_blocks(func);
    let needed = needed_values(func, &edges);
    let blocks: Vec<Block> = func.layout.blocks().collect();
    for block in &blocks {
        let params = func.dfg.block_params(*block);
        if edges[*block].is_empty() || params.iter().all(|param| needed[*param]) {
            continue;
        }
        let kept: Vec<bool> = params.iter().map(|param| needed[*param]).collect();
        for (inst, which, _) in &edges[*block] {
            let dfg = &mut func.dfg;
            let calls =
                dfg.insts[*inst].branch_destination_mut(&mut dfg.jump_tables, &mut dfg.exception_tables);
            let args: Vec<BlockArg> = calls[*which].args(&dfg.value_lists).collect();
            let args = args.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(arg, _)| arg);
            calls[*which] = BlockCall::new(*block, args, &mut dfg.value_lists);
        }
        let dead = kept.iter().enumerate().rev().filter(|(_, kept)| !**kept);
        let dead: Vec<Value> = dead.map(|(i, _)| func.dfg.block_params(*block)[i]).collect();
        dead.into_iter().for_each(|param| func.dfg.remove_block_param(param));
    }
    for block in blocks {
        let insts: Vec<Inst> = func.layout.block_insts(block).collect();
        for inst in insts {
            if !has_effects(func, inst) && !func.dfg.inst_results(inst).iter().any(|result| needed[*result]) {
                func.layout.remove_inst(inst);
            }
        }
    }
}

/// Finds the branches to each reachable block, and removes the other blocks.
fn reachable_blocks(func: &mut Function) -> SecondaryMap<Block, Vec<Edge>> {
    let mut edges: SecondaryMap<Block, Vec<Edge>> = SecondaryMap::new();
    let mut reached: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut open: Vec<Block> = func.layout.entry_block().into_iter().collect();
    open.iter().for_each(|block| reached[*block] = true);
    while let Some(block) = open.pop() {
        let Some(inst) = func.layout.last_inst(block) else { continue };
        let dfg = &func.dfg;
        let calls = dfg.insts[inst].branch_destination(&dfg.jump_tables, &dfg.exception_tables);
        for (which, call) in calls.iter().enumerate() {
            let to = call.block(&dfg.value_lists);
            let args = call.args(&dfg.value_lists).map(|arg| arg.as_value()).collect();
            edges[to].push((inst, which, args));
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    let blocks: Vec<Block> = func.layout.blocks().collect();
    for block in blocks.into_iter().filter(|block| !reached[*block]) {
        while let Some(inst) = func.layout.first_inst(block) {
            func.layout.remove_inst(inst);
        }
        func.layout.remove_block(block);
    }
    edges
}

/// Returns the values that instructions with effects need, directly or not.
fn needed_values(func: &Function, edges: &SecondaryMap<Block, Vec<Edge>>) -> SecondaryMap<Value, bool> {
    let dfg = &func.dfg;
    let mut needed: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut open = Vec::new();
    let mut need = |value: Value, open: &mut Vec<Value>| {
        let value = dfg.resolve_aliases(value);
        if !std::mem::replace(&mut needed[value], true) {
            open.push(value);
        }
    };
    for block in func.layout.blocks() {
        for inst in func.layout.block_insts(block).filter(|inst| has_effects(func, *inst)) {
            dfg.inst_args(inst).iter().for_each(|arg| need(*arg, &mut open));
        }
    }
    while let Some(value) = open.pop() {
        match dfg.value_def(value) {
            ValueDef::Result(inst, _) => dfg.inst_args(inst).iter().for_each(|arg| need(*arg, &mut open)),
            ValueDef::Param(block, position) => {
                for (_, _, args) in &edges[block] {
                    args.get(position).copied().flatten().into_iter().for_each(|arg| need(arg, &mut open));
                }
            }
            ValueDef::Union(..) => {}
        }
    }
    needed
}

/// Returns whether an instruction has an effect in addition to its results.
fn has_effects(func: &Function, inst: Inst) -> bool {
    let data = &func.dfg.insts[inst];
    let opcode = data.opcode();
    let traps = || data.memflags_data(&func.dfg).is_none_or(|flags| !flags.notrap());
    opcode.is_terminator()
        || opcode.is_call()
        || opcode.can_trap()
        || opcode.other_side_effects()
        || opcode.can_store()
        || opcode.can_load() && traps()
}
