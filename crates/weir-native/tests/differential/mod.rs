//! Runs native code and the interpreter over the same packets and compares everything observable:
//! how parsing ended, every word of the state, the emitted bytes, faults, and the calls of the
//! environment in order, with their arguments.
//!
//! Programs run once block by block ([`blocks`]), and once as whole pipelines ([`pipelines`]). In
//! [`hostile`] environments, which break their contract, nothing is compared.

#![allow(dead_code, reason = "each test uses its own part")]

pub mod blocks;
pub mod broken;
pub mod hostile;
pub mod pipelines;
mod reduce;
pub mod rng;
mod world;

use weir_exec::{Executor, Pipeline};
use weir_ir::{Program, StmtKind, ValidProgram, text, validate};

use pipelines::{Make, Reached};
use rng::{Rng, program_entropy};

/// Makes the executor of a program that is compared; the number is the seed.
pub type MakeBlocks<'a> = &'a dyn Fn(ValidProgram, u64) -> Box<dyn Executor>;

/// The seed of a program that showed a difference, and the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Found(pub u64, pub String);

/// Runs random programs block by block, each over random packets, until one differs.
pub fn fuzz(seeds: std::ops::Range<u64>, packets: u64, make: MakeBlocks<'_>) -> Result<(), Found> {
    for seed in seeds {
        let program = random_program(&program_entropy(seed));
        if let Some(problem) = blocks::try_program(&program, seed, packets, make) {
            return Err(Found(seed, problem));
        }
    }
    Ok(())
}

/// Runs random pipelines of random programs, as [`fuzz`] does.
pub fn fuzz_pipelines(
    seeds: std::ops::Range<u64>,
    packets: u64,
    make: Make<'_>,
    reached: &mut Reached,
) -> Result<(), Found> {
    for seed in seeds {
        let program = random_program(&program_entropy(seed));
        let pipeline = weir_testgen::pipeline(&program, &stages_entropy(seed));
        if let Some(problem) = pipelines::compare(&pipeline, (seed, packets), make, reached) {
            return Err(Found(seed, problem));
        }
    }
    Ok(())
}

/// Returns a random program.
pub fn random_program(entropy: &[u8]) -> ValidProgram {
    validate(weir_testgen::program(entropy)).expect("random programs are valid")
}

/// Returns the entropy of the pipeline of a seed.
pub fn stages_entropy(seed: u64) -> Vec<u8> {
    let mut rng = Rng(seed ^ 0x57a9e5);
    let length = rng.number_below(160);
    rng.bytes(length)
}

fn shortest_failing(bytes: &[u8], still: impl Fn(&[u8]) -> bool) -> &[u8] {
    let lengths = (0..bytes.len()).step_by(1 + bytes.len() / 64);
    lengths.map(|length| &bytes[..length]).find(|bytes| still(bytes)).unwrap_or(bytes)
}

impl Found {
    /// Returns the smallest program that still differs block by block, and the difference.
    pub fn smallest_program(&self, packets: u64, make: MakeBlocks<'_>) -> String {
        let problem = |program: &ValidProgram| blocks::try_program(program, self.0, packets, make);
        let bytes = program_entropy(self.0);
        let short = shortest_failing(&bytes, |bytes| problem(&random_program(bytes)).is_some());
        let program = reduce::program(random_program(short), &mut |program| problem(program).is_some());
        let difference = problem(&program).unwrap_or_else(|| self.1.clone());
        format!("seed {}: {difference}\n{}", self.0, text::print(&program))
    }

    /// Returns the smallest program and pipeline that still differ, and the difference.
    pub fn smallest_pipeline(&self, packets: u64, make: Make<'_>) -> String {
        let (bytes, stages) = (program_entropy(self.0), stages_entropy(self.0));
        let problem = |pipeline: &Pipeline| {
            pipelines::compare(pipeline, (self.0, packets), make, &mut Reached::default())
        };
        let short = shortest_failing(&bytes, |bytes| {
            problem(&weir_testgen::pipeline(&random_program(bytes), &stages)).is_some()
        });
        let program = random_program(short);
        let pipeline = weir_testgen::pipeline(&program, &stages);
        let pipeline = reduce::pipeline(pipeline, &mut |pipeline| problem(pipeline).is_some());
        // A smaller program may lack parts that the pipeline names.
        let pipeline_of = |program: &ValidProgram| Pipeline::new(program, pipeline.spec().clone()).ok();
        let program = reduce::program(program, &mut |program| {
            pipeline_of(program).is_some_and(|pipeline| problem(&pipeline).is_some())
        });
        let pipeline = pipeline_of(&program).unwrap_or(pipeline);
        let difference = problem(&pipeline).unwrap_or_else(|| self.1.clone());
        format!(
            "seed {}: {difference}\n{}\n{}",
            self.0,
            stages_in_words(&program, &pipeline),
            text::print(&program)
        )
    }
}

fn stages_in_words(program: &Program, pipeline: &Pipeline) -> String {
    let names: Vec<_> = program.vars.iter().map(|(id, var)| format!("{id:?} {}", var.name)).collect();
    let mut lines = vec![format!("inputs {:?}", pipeline.inputs())];
    lines.extend(pipeline.stages().iter().map(|stage| format!("{stage:?}")));
    lines.extend(pipeline.spec().extern_semantics.iter().map(|(call, meaning)| {
        format!("{} means {meaning:?}", text::stmt(program, &StmtKind::Extern(call.clone())))
    }));
    // The names of the variables in the lines above.
    let message = lines.join("\n");
    let is_said = |name: &&String| {
        let id = name.split(' ').next().unwrap_or_default();
        message.contains(&format!("{id})"))
            || message.contains(&format!("{id},"))
            || message.contains(&format!("{id} "))
    };
    lines.extend(names.iter().filter(is_said).cloned());
    lines.join("\n")
}
