//! The scheduler, which assigns threads to processors; see [`ComputerConfig`].

use std::collections::VecDeque;

use weir_device::Nanos;
use weir_impair::Random;

use super::ComputerConfig;
use super::interruptions::{Interruptions, draw_time};

/// The number of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(pub(crate) usize);

/// A job that waits for a processor, and the time that it takes.
struct Work<J> {
    job: J,
    cost: Nanos,
}

/// Whether a thread has nothing to do, waits for a processor, or runs on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum State {
    #[default]
    Asleep,
    /// The thread waits in the run queue.
    Ready,
    /// The thread runs on a processor.
    Running,
}

/// A thread with the work that waits for it.
struct Thread<J> {
    state: State,
    /// Whether the thread is the kernel's: such a thread needs no wake-up and precedes all others.
    kernel: bool,
    /// Work that the current work has caused; it comes before the remaining work.
    next: VecDeque<Work<J>>,
    rest: VecDeque<Work<J>>,
}

impl<J> Thread<J> {
    /// Takes the thread's next work.
    fn take(&mut self) -> Option<Work<J>> {
        self.next.pop_front().or_else(|| self.rest.pop_front())
    }

    fn has_work(&self) -> bool {
        !(self.next.is_empty() && self.rest.is_empty())
    }
}

/// A processor and the thread that runs on it.
struct Processor<J> {
    /// The work that the thread does; none between two pieces of work.
    job: Option<J>,
    thread: Option<usize>,
    /// The time at which the thread got the processor.
    since: Nanos,
    /// The thread that ran here last.
    last: Option<usize>,
    /// The time at which the last thread ended, if none runs.
    idle_since: Nanos,
    interruptions: Interruptions,
}

/// The threads and processors of a computer. `J` is a piece of work.
pub(crate) struct Scheduler<J> {
    quantum: Nanos,
    wake_up: Nanos,
    wake_up_jitter: Nanos,
    deep_sleep_after: Nanos,
    deep_wake_up_jitter: Nanos,
    context_switch: Nanos,
    processors: Vec<Processor<J>>,
    threads: Vec<Thread<J>>,
    ready: VecDeque<usize>,
    kernel_ready: VecDeque<usize>,
    random: Random,
    /// The random numbers of wake-ups on processors that sleep deeply.
    deep_random: Random,
    /// For each piece of work that has begun since [`Scheduler::take_started_work`]: its end and
    /// its processor.
    begun: VecDeque<(Nanos, u32)>,
}

impl<J: Copy> Scheduler<J> {
    pub(crate) fn new(config: &ComputerConfig, seed: u64) -> Self {
        let processor = |number| Processor {
            job: None,
            thread: None,
            since: 0,
            last: None,
            idle_since: 0,
            interruptions: Interruptions::new(seed, number, config.interrupted_every, config.interrupted_for),
        };
        Scheduler {
            quantum: config.quantum,
            wake_up: config.wake_up,
            wake_up_jitter: config.wake_up_jitter,
            deep_sleep_after: config.deep_sleep_after,
            deep_wake_up_jitter: config.deep_wake_up_jitter,
            context_switch: config.context_switch,
            processors: (0..config.processors).map(processor).collect(),
            threads: Vec::new(),
            ready: VecDeque::new(),
            kernel_ready: VecDeque::new(),
            random: Random::new(seed, "computer wake-ups"),
            deep_random: Random::new(seed, "computer deep sleep"),
            begun: VecDeque::new(),
        }
    }

    /// Adds a new thread.
    pub(crate) fn add_thread(&mut self, kernel: bool) -> ThreadId {
        let (next, rest) = (VecDeque::new(), VecDeque::new());
        self.threads.push(Thread { state: State::Asleep, kernel, next, rest });
        ThreadId(self.threads.len() - 1)
    }

    /// Gives a thread work. With `at_once`, for work that the thread's current work causes, the new
    /// work comes before the thread's waiting work.
    pub(crate) fn submit(
        &mut self,
        now: Nanos,
        ThreadId(number): ThreadId,
        job: J,
        cost: Nanos,
        at_once: bool,
    ) {
        let thread = &mut self.threads[number];
        let queue = if at_once { &mut thread.next } else { &mut thread.rest };
        queue.push_back(Work { job, cost });
        if thread.state != State::Asleep {
            return;
        }
        let kernel = thread.kernel;
        let Some(processor) = self.idle_processor(now) else {
            self.threads[number].state = State::Ready;
            if kernel { &mut self.kernel_ready } else { &mut self.ready }.push_back(number);
            return;
        };
        let mut start = self.processors[processor].interruptions.free_at(now);
        if !kernel {
            start = start.saturating_add(self.draw_wake_up(processor, now));
        }
        self.assign(processor, number, start);
    }

    /// Draws the time until a thread that is woken up runs on an idle processor.
    fn draw_wake_up(&mut self, processor: usize, now: Nanos) -> Nanos {
        let mut time = self.wake_up;
        if self.wake_up_jitter > 0 {
            time = time.saturating_add(draw_time(&mut self.random, self.wake_up_jitter));
        }
        let idle = now.saturating_sub(self.processors[processor].idle_since);
        if self.deep_wake_up_jitter > 0 && idle >= self.deep_sleep_after {
            time = time.saturating_add(draw_time(&mut self.deep_random, self.deep_wake_up_jitter));
        }
        time
    }

    /// Returns the idle processor that is free first.
    fn idle_processor(&mut self, now: Nanos) -> Option<usize> {
        let idle = self.processors.iter_mut().enumerate().filter(|(_, processor)| processor.thread.is_none());
        idle.map(|(number, processor)| (processor.interruptions.free_at(now), number))
            .min()
            .map(|(_, number)| number)
    }

    /// Assigns a processor to a thread from `start` on.
    fn assign(&mut self, processor: usize, number: usize, start: Nanos) {
        self.threads[number].state = State::Running;
        let state = &mut self.processors[processor];
        (state.thread, state.since, state.last) = (Some(number), start, Some(number));
        self.begin(processor, start);
    }

    /// Begins the next piece of work of the processor's thread. Returns whether there was one.
    fn begin(&mut self, processor: usize, start: Nanos) -> bool {
        let state = &mut self.processors[processor];
        let Some(work) = state.thread.and_then(|number| self.threads[number].take()) else { return false };
        state.job = Some(work.job);
        self.begun.push_back((state.interruptions.finish_time(start, work.cost), processor as u32));
        true
    }

    /// Takes work that has begun since the last call: the time at which it will be done, and the
    /// processor, for which [`Scheduler::complete`] must be called at that time.
    pub(crate) fn take_started_work(&mut self) -> Option<(Nanos, u32)> {
        self.begun.pop_front()
    }

    /// Called when the work of a processor is done. The caller then processes the results of this
    /// work, and calls [`Scheduler::choose_next`].
    pub(crate) fn complete(&mut self, processor: u32) -> Option<J> {
        self.processors[processor as usize].job.take()
    }

    /// Chooses what a processor does next.
    pub(crate) fn choose_next(&mut self, processor: u32, now: Nanos) {
        let processor = processor as usize;
        let Some(current) = self.processors[processor].thread else { return };
        let has_work = self.threads[current].has_work();
        let kernel = self.threads[current].kernel;
        if !kernel && let Some(next) = self.kernel_ready.pop_front() {
            if has_work {
                self.threads[current].state = State::Ready;
                self.ready.push_front(current);
            } else {
                self.threads[current].state = State::Asleep;
            }
            return self.assign(processor, next, now);
        }
        let used_up = now.saturating_sub(self.processors[processor].since) >= self.quantum;
        if has_work && (kernel || self.ready.is_empty() || !used_up) {
            self.begin(processor, now);
            return;
        }
        if has_work {
            self.threads[current].state = State::Ready;
            self.ready.push_back(current);
        } else {
            self.threads[current].state = State::Asleep;
        }
        match self.kernel_ready.pop_front().or_else(|| self.ready.pop_front()) {
            Some(next) => {
                let changes = !self.threads[next].kernel && self.processors[processor].last != Some(next);
                let start = now.saturating_add(if changes { self.context_switch } else { 0 });
                self.assign(processor, next, start);
            }
            None => {
                let state = &mut self.processors[processor];
                (state.thread, state.idle_since) = (None, now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::computer::ComputerConfig;

    /// Runs the work that is submitted at the beginning. Returns the time at which each piece of
    /// work ends.
    fn run(
        config: &ComputerConfig,
        submitted: &[(usize, &'static str, Nanos)],
    ) -> Vec<(Nanos, &'static str)> {
        let mut scheduler = Scheduler::new(config, 1);
        for number in 0..4 {
            scheduler.add_thread(number == 3);
        }
        for (thread, name, cost) in submitted {
            scheduler.submit(0, ThreadId(*thread), *name, *cost, false);
        }
        let (mut pending, mut done) = (Vec::new(), Vec::new());
        loop {
            pending.extend(std::iter::from_fn(|| scheduler.take_started_work()));
            pending.sort_unstable();
            if pending.is_empty() {
                return done;
            }
            let (time, processor) = pending.remove(0);
            done.push((time, scheduler.complete(processor).unwrap()));
            scheduler.choose_next(processor, time);
        }
    }

    fn config(processors: usize) -> ComputerConfig {
        ComputerConfig { processors, wake_up: 5, context_switch: 1, quantum: 20, ..ComputerConfig::default() }
    }

    #[test]
    fn idle_processors_take_threads_after_a_wake_up() {
        let finished = run(&config(2), &[(0, "a", 10), (1, "b", 20)]);
        assert_eq!(finished, [(15, "a"), (25, "b")]);
    }

    #[test]
    fn a_busy_processor_finishes_a_thread_before_it_changes() {
        // b waits in the run queue, so it needs no wake-up, but a context switch.
        let finished = run(&config(1), &[(0, "a", 10), (1, "b", 10), (0, "c", 5)]);
        assert_eq!(finished, [(15, "a"), (20, "c"), (31, "b")]);
    }

    #[test]
    fn a_thread_gives_way_after_its_quantum() {
        let finished = run(&config(1), &[(0, "a", 12), (0, "c", 12), (0, "d", 12), (1, "b", 10)]);
        assert_eq!(finished, [(17, "a"), (29, "c"), (40, "b"), (53, "d")]);
    }

    #[test]
    fn kernel_work_comes_first_and_needs_no_wake_up() {
        let finished = run(&config(1), &[(0, "a", 10), (0, "c", 10), (1, "b", 10), (3, "k", 3)]);
        assert_eq!(finished, [(15, "a"), (18, "k"), (29, "c"), (40, "b")]);
        assert_eq!(run(&config(1), &[(3, "k", 3)]), [(3, "k")]);
    }

    #[test]
    fn a_processor_that_sleeps_deeply_wakes_up_later() {
        let config = ComputerConfig { deep_sleep_after: 100, deep_wake_up_jitter: 1000, ..config(1) };
        let mut scheduler = Scheduler::new(&config, 1);
        let thread = scheduler.add_thread(false);
        let mut wait = |idle: Nanos, at: &mut Nanos| {
            scheduler.submit(*at + idle, thread, "a", 10, false);
            let (end, processor) = scheduler.take_started_work().unwrap();
            scheduler.complete(processor);
            scheduler.choose_next(processor, end);
            let waited = end - (*at + idle) - 10;
            *at = end;
            waited
        };
        let mut at = 0;
        assert!((0..100).all(|_| wait(99, &mut at) == 5));
        let mean = (0..1000).map(|_| wait(100, &mut at) - 5).sum::<Nanos>() / 1000;
        assert!((900..1100).contains(&mean), "{mean}");
    }

    #[test]
    fn interruptions_take_their_share() {
        let every = ComputerConfig { interrupted_every: 1000, interrupted_for: 500, wake_up: 0, ..config(1) };
        let work = vec![(0, "a", 100); 10_000];
        let finished = run(&every, &work);
        let end = finished.last().unwrap().0 as f64;
        assert!((1.4..1.6).contains(&(end / 1e6)), "{end}");
        assert_eq!(finished, run(&every, &work));
    }
}
