//! Runs a test.

mod cells;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use weir_control::commands::{self, Runtime, Session};
use weir_control::{Error, Names};
use weir_device::Port;
use weir_exec::Executor;
use weir_switch::stats::DropPlace;
use weir_switch::trace::MAX_STEPS;
use weir_switch::{LoadError, Place, arch};

use crate::bench::{Bench, MAX_PASSES};
use crate::compare::Headers;
use crate::mistake::{AtPart, Mistake, PartMistake};
use crate::outcome::{Failure, Outcome, PrintedLine};
use crate::pattern::{Pattern, group_digits, hex};
use crate::sent_packets::{Output, SentPackets};
use crate::source::{Line, lines};
use crate::statement::Statement;
use crate::tables::Named;

/// The program of a test.
pub struct Program<'a> {
    /// The file, for commands that show it.
    pub file: &'a str,
    /// The executor that runs all packets.
    pub untraced: Arc<dyn Executor>,
    /// The executor that runs traced packets: their traces include the steps within the blocks.
    pub traced: Arc<dyn Executor>,
    /// The text of a line of the program.
    pub source: &'a dyn Fn(&Place) -> String,
    /// Returns whether to interrupt the test. Called before each step of the switch. After the
    /// first true, it must always return true.
    pub interrupt: &'a dyn Fn() -> bool,
}

/// Runs a test. The lines of the test run in order, and each packet leaves the switch before the
/// next line runs. At the end, the packets that left each port are compared with the expected ones,
/// in order. Returns `None` if the test was interrupted.
///
/// # Errors
/// A line cannot be understood or does not fit the program.
pub fn run(program: &Program<'_>, text: &str) -> Result<Option<Outcome>, Mistake> {
    let last_port = arch::port_space(program.untraced.program()).map_or(Port::MAX, |space| space.last_port());
    let mut statements = Vec::new();
    for line in lines(text) {
        let statement = Statement::read(line.text, last_port).map_err(|fault| line.mistake(fault))?;
        statements.push((line, statement));
    }
    let no_packets = BTreeSet::new();
    let Some(outcome) = run_on(program, &program.untraced, &statements, no_packets)? else { return Ok(None) };
    if outcome.failures.is_empty() {
        if !outcome.unnamed.contains(&DropPlace::Ingress.to_string()) {
            return Ok(Some(outcome));
        }
        // Only the steps of blocks say to which ports these packets were to go.
        let traced = run_on(program, &program.traced, &statements, BTreeSet::new())?;
        return Ok(traced.map(|traced| Outcome { unnamed: traced.unnamed, ..outcome }));
    }
    // The test runs a second time with the interpreter, which records only the steps of packets
    // that failed. The steps of all packets could exceed the limit.
    let wanted = outcome.failures.iter().filter_map(|failure| failure.packet).collect();
    let Some(traced) = run_on(program, &program.traced, &statements, wanted)? else { return Ok(None) };
    if !traced.failures.is_empty() {
        return Ok(Some(traced));
    }
    let name = program.untraced.name();
    let message = format!("a fault of Weir: {name} code fails where the interpreter passes");
    let fault = Failure { message, ..Failure::default() };
    let failures = outcome.failures.into_iter().chain([fault]).collect();
    Ok(Some(Outcome { failures, steps: traced.steps, ..outcome }))
}

fn run_on<'t>(
    program: &Program<'_>,
    executor: &Arc<dyn Executor>,
    statements: &[(Line<'t>, Statement<'t>)],
    wanted: BTreeSet<usize>,
) -> Result<Option<Outcome>, Mistake> {
    // The switch has only the ports that the test names: packets to other ports are dropped, as the
    // framework requires.
    let ports: BTreeSet<Port> = statements
        .iter()
        .filter_map(|(_, statement)| match statement {
            Statement::Packet { port, .. } | Statement::Expect { port, .. } => Some(*port),
            _ => None,
        })
        .collect();
    let Some((first, _)) = statements.first() else { return Ok(Some(Outcome::default())) };
    let refused = |error: LoadError| {
        first.mistake(PartMistake { part: first.text, error: Error::new(error.to_string()) })
    };
    let mut test = Test::new(program, executor, ports, wanted).map_err(refused)?;
    for (line, statement) in statements {
        test.run_statement(line, statement).map_err(|fault| line.mistake(fault))?;
        if (program.interrupt)() {
            return Ok(None);
        }
        // Further lines would wait for the same packet again.
        if test.is_stuck {
            break;
        }
    }
    test.compare().map_err(refused)?;
    Ok(Some(test.finish()))
}

/// The maximum number of unexpected packets of a port that are reported one by one. Further ones
/// are counted.
const MAX_UNEXPECTED: usize = 10;

/// An expected packet: its line, and the pattern that it must match.
type Expected = (usize, Pattern);

/// A packet that the test sent.
struct Sent {
    /// The number of the line that sent the packet.
    line: usize,
    /// The number of the packet's steps that were discarded because of the limit.
    lost_steps: u64,
}

/// The state of running a test.
struct Test<'a> {
    program: &'a Program<'a>,
    bench: Bench,
    runtime: Runtime,
    named: Named,
    packets: SentPackets,
    /// The packets that were sent, in order.
    sent: Vec<Sent>,
    expected: BTreeMap<Port, Vec<Expected>>,
    got: BTreeMap<Port, Vec<Output>>,
    outcome: Outcome,
    headers: Option<Headers>,
    /// Whether a packet does not leave the switch.
    is_stuck: bool,
}

impl<'a> Test<'a> {
    fn new(
        program: &'a Program<'a>,
        executor: &Arc<dyn Executor>,
        ports: BTreeSet<Port>,
        wanted: BTreeSet<usize>,
    ) -> Result<Self, LoadError> {
        Ok(Self {
            program,
            bench: Bench::new(Arc::clone(executor), ports, 1)?,
            runtime: Runtime::default(),
            named: Named::default(),
            packets: SentPackets::new(executor.program(), wanted),
            sent: Vec::new(),
            expected: BTreeMap::new(),
            got: BTreeMap::new(),
            outcome: Outcome::default(),
            headers: None,
            is_stuck: false,
        })
    }

    /// Carries out the statement of a line.
    fn run_statement<'t>(
        &mut self,
        line: &Line<'t>,
        statement: &Statement<'t>,
    ) -> Result<(), PartMistake<'t>> {
        match statement {
            Statement::Packet { port, bytes } => self.send(line.number, *port, bytes.clone()),
            Statement::Expect { port, pattern } => {
                self.expected.entry(*port).or_default().push((line.number, pattern.clone()));
                self.outcome.checks += 1;
            }
            Statement::NoPacket => self.expect_no_more(line.number),
            Statement::Add { table, entry, name } => {
                let remarks = self.control(|session, named| named.add_entry(session, table, entry, *name))?;
                let lines = remarks.iter().map(|remark| format!("line {}: {remark}", line.number));
                self.outcome.printed.extend(lines.map(PrintedLine::Line));
            }
            Statement::SetDefault { table, target } => {
                self.control(|session, named| named.set_default(session, table, target))?;
            }
            Statement::Remove { name } => self.control(|session, named| named.remove(session, name))?,
            Statement::RemoveAll => {
                self.control(|session, named| named.remove_all(session)).at_part(line.text)?;
            }
            Statement::Member { profile, call, name } => {
                self.control(|session, named| named.add_member(session, profile, call, *name))?;
            }
            Statement::Group { selector, members, name } => {
                self.control(|session, named| named.add_group(session, selector, members, *name))?;
            }
            Statement::CheckCounter(check) => self.check_counter(line.number, check)?,
            Statement::CheckRegister(check) => self.check_register(line.number, check)?,
            Statement::Wait(None) => {
                self.bench.settle(MAX_PASSES, self.program.interrupt);
                self.collect(line.number);
            }
            Statement::Wait(Some(time)) => {
                let end = self.bench.now().saturating_add(*time);
                self.bench.run_until(end, self.program.interrupt);
                self.collect(line.number);
            }
            Statement::Command(text) => {
                let printed = self.control(|session, _| commands::run(session, text)).at_part(text)?;
                self.outcome.printed.extend(printed.into_iter().map(PrintedLine::Line));
            }
        }
        Ok(())
    }

    /// Runs a function with the switch's control interface and the objects that the test named.
    fn control<T>(&mut self, act: impl FnOnce(&mut Session<'_, '_>, &mut Named) -> T) -> T {
        let now = self.bench.now();
        let mut control = self.bench.switch.control_at(now);
        let names = Names::new(control.schema());
        act(&mut self.runtime.session(&mut control, names, "switch", self.program.file), &mut self.named)
    }

    /// Sends a packet of the test to the switch.
    fn send(&mut self, line: usize, port: Port, bytes: Vec<u8>) {
        let number = self.sent.len();
        self.sent.push(Sent { line, lost_steps: 0 });
        self.outcome.packets += 1;
        let before = self.bench.switch.stats().passes;
        self.bench.receive(port, bytes);
        let is_empty = self.bench.settle(MAX_PASSES, self.program.interrupt);
        if !is_empty && !(self.program.interrupt)() {
            // The trace may be incomplete, so the packets that left are taken from the switch and
            // not from the trace.
            self.is_stuck = true;
            let passes = self.bench.switch.stats().passes - before;
            let message = if passes >= MAX_PASSES {
                format!(
                    "the packet, or a copy of it, was still in the switch after {passes} passes: the program \
                     recirculates, resubmits or clones it endlessly; the test ends here"
                )
            } else {
                format!(
                    "the packet, or a copy of it, was still in the switch after a virtual second and {passes} \
                     passes; the test ends here"
                )
            };
            self.outcome.failures.push(Failure { line, message, packet: Some(number), ..Failure::default() });
        }
        self.collect(line);
    }

    /// Collects the packets that left, and the messages to the control plane. The test fails if
    /// steps outside of blocks are missing in the trace, unless it already fails because a packet
    /// does not leave.
    fn collect(&mut self, line: usize) {
        let (steps, lost) = self.bench.take_steps();
        // Up to this number of steps, only steps within blocks are left out.
        let complete = lost == 0 || steps.len() < MAX_STEPS;
        for output in self.packets.add_steps(steps) {
            self.got.entry(output.port).or_default().push(output);
        }
        let now = self.bench.now();
        let mut control = self.bench.switch.control_at(now);
        let digests = control.take_digests().into_iter().map(PrintedLine::Digest);
        let mut messages: Vec<PrintedLine> = digests.collect();
        messages.extend(control.take_log().into_iter().map(PrintedLine::Log));
        messages.extend(control.take_idle_notices().into_iter().map(PrintedLine::Idle));
        messages.sort_by_key(PrintedLine::time);
        self.outcome.printed.extend(messages);
        if let Some(sent) = self.sent.last_mut() {
            sent.lost_steps += lost;
        }
        if !complete && !self.is_stuck {
            let message = format!(
                "the trace is too long: {lost} steps after the first {MAX_STEPS} are left out, and the packets \
                 that left in them"
            );
            let packet = self.sent.len().checked_sub(1);
            self.outcome.failures.push(Failure { line, message, packet, ..Failure::default() });
        }
    }

    /// Returns the results of the test. The number of discarded steps of each packet is known only
    /// at the end.
    fn finish(mut self) -> Outcome {
        for failure in &mut self.outcome.failures {
            if let Some(packet) = failure.packet
                && let Some(sent) = self.sent.get(packet)
            {
                failure.sent = sent.line;
                failure.lost_steps = sent.lost_steps + self.packets.lost_steps(packet);
            }
        }
        let SentPackets { steps, unnamed, .. } = self.packets;
        Outcome { unnamed: unnamed.into_iter().collect(), steps, ..self.outcome }
    }

    /// Checks that no packet has left that the previous lines do not expect.
    fn expect_no_more(&mut self, line: usize) {
        self.outcome.checks += 1;
        let mut failures = Vec::new();
        for (port, got) in &self.got {
            let expected = self.expected.get(port).map_or(&[][..], Vec::as_slice);
            let takes_any = expected.iter().any(|(_, pattern)| pattern.digits.is_none());
            if let Some(output) = got.get(expected.len()).filter(|_| !takes_any) {
                let message = format!("expected no packet, one left on port {port}");
                let details = vec![format!("it is {}", group_digits(&hex(&output.packet)))];
                failures.push(Failure {
                    line,
                    message,
                    details,
                    packet: Some(output.sent),
                    ..Failure::default()
                });
            }
        }
        failures.into_iter().for_each(|failure| self.outcome.failures.push(failure));
    }

    /// Compares the packets that left with the expected ones.
    fn compare(&mut self) -> Result<(), LoadError> {
        let ports: BTreeSet<Port> = self.expected.keys().chain(self.got.keys()).copied().collect();
        for port in ports {
            let expected = self.expected.get(&port).cloned().unwrap_or_default();
            let got = self.got.get(&port).cloned().unwrap_or_default();
            self.compare_port(port, &expected, &got)?;
        }
        Ok(())
    }

    fn compare_port(&mut self, port: Port, expected: &[Expected], got: &[Output]) -> Result<(), LoadError> {
        // `expect PORT` without a pattern accepts one or more packets at the port, with any
        // contents.
        if !expected.is_empty() && expected.iter().all(|(_, pattern)| pattern.digits.is_none()) {
            if got.is_empty() {
                self.report_missing(port, &expected[0]);
            }
            return Ok(());
        }
        for (number, ((line, pattern), output)) in expected.iter().zip(got).enumerate() {
            if pattern.matches(&output.packet) {
                continue;
            }
            let headers = match &mut self.headers {
                Some(headers) => headers,
                none => none.insert(Headers::new(Arc::clone(&self.program.traced))?),
            };
            let comparison = headers.compare(pattern, output);
            let mut details = comparison.lines;
            if let Some(other) = got.iter().position(|other| pattern.matches(&other.packet)) {
                let (other, number) = (other + 1, number + 1);
                details.push(format!(
                    "the one that fits is number {other} on this port, expected as number {number}"
                ));
            }
            self.outcome.failures.push(Failure {
                line: *line,
                message: format!("a packet on port {port} is not as expected"),
                details,
                differences: comparison.differences,
                packet: Some(output.sent),
                ..Failure::default()
            });
        }
        for expected in expected.iter().skip(got.len()) {
            self.report_missing(port, expected);
        }
        let unexpected = got.get(expected.len()..).unwrap_or_default();
        for output in unexpected.iter().take(MAX_UNEXPECTED) {
            let packet = group_digits(&hex(&output.packet));
            let message = format!("port {port}: a packet that no line expects: {packet}");
            self.outcome.failures.push(Failure { message, packet: Some(output.sent), ..Failure::default() });
        }
        if let Some(output) = unexpected.get(MAX_UNEXPECTED) {
            let more = unexpected.len() - MAX_UNEXPECTED;
            let plural = if more == 1 { "" } else { "s" };
            let message = format!("port {port}: {more} more packet{plural} that no line expects");
            self.outcome.failures.push(Failure { message, packet: Some(output.sent), ..Failure::default() });
        }
        Ok(())
    }

    /// Reports an expected packet that did not arrive. The message says if the packet left through
    /// another port, or if the packet that was sent before the line was dropped.
    fn report_missing(&mut self, port: Port, (line, pattern): &Expected) {
        let mut details = Vec::new();
        for (other, got) in &self.got {
            let expected = self.expected.get(other).map_or(0, Vec::len);
            let fits = got.iter().skip(expected).any(|output| pattern.matches(&output.packet));
            if pattern.digits.is_some() && fits {
                details.push(format!("a packet that fits left on port {other}"));
            }
        }
        let before = self.sent.iter().rposition(|sent| sent.line < *line);
        let packet = before.or((!self.sent.is_empty()).then_some(0));
        match packet {
            Some(packet) => {
                let fate = self.packets.describe_fate(packet, self.program.source);
                details.push(format!("the packet of line {} {fate}", self.sent[packet].line));
            }
            None => details.push("no packet was sent".to_owned()),
        }
        let message = format!("no packet left on port {port}: expected {pattern}");
        self.outcome.failures.push(Failure { line: *line, message, details, packet, ..Failure::default() });
    }
}
