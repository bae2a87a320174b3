//! Models of the window of a flow that loses one segment in n.
//!
//! RFC 9438's response function assumes periodic losses. Random losses give a larger mean window: a
//! long interval adds more round trips of a fast growing cubic function than a short one removes,
//! and the window before an early loss is the smaller plateau of the next period. There is no
//! closed form, so [`cubic`] simulates it.

use weir_sim::Random;

/// Computes the window for one segment lost in `n`: 1.22/√p (Mathis, Semke, Mahdavi, Ott 1997).
pub fn root(n: u64) -> f64 {
    (1.5 * n as f64).sqrt()
}

/// Like [`root`] for random losses: 1.31 instead of 1.22.
pub fn random_root(n: u64) -> f64 {
    root(n) * 1.31 / 1.22
}

/// Computes the window by RFC 9438, section 5.1: 1.054 · (RTT/p)^0.75 segments.
pub fn response(rtt_ms: u64, n: u64) -> f64 {
    let x = rtt_ms as f64 / 1000.0 * n as f64;
    1.054 * x.sqrt() * x.sqrt().sqrt()
}

/// A CUBIC flow (RFC 9438, sections 4.2 to 4.7) that always uses its window, in segments and round
/// trips.
struct Cubic {
    window: f64,
    /// W_max; the window before the last reduction; W_est; K.
    plateau: f64,
    before: f64,
    reno: f64,
    reached: f64,
    /// The time in seconds since the last reduction.
    time: f64,
}

impl Cubic {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;

    /// Returns the state after a reduction of a window of this many segments.
    fn new(before: f64, fast_convergence: bool) -> Self {
        let mut cubic = Cubic { window: before, plateau: 0.0, before, reno: 0.0, reached: 0.0, time: 0.0 };
        cubic.reduce(fast_convergence);
        cubic
    }

    fn reduce(&mut self, fast_convergence: bool) {
        let yields = fast_convergence && self.window < self.plateau;
        self.before = self.window;
        self.plateau = if yields { self.window * (1.0 + Self::BETA) / 2.0 } else { self.window };
        self.window *= Self::BETA;
        (self.reno, self.time) = (self.window, 0.0);
        self.reached = ((self.plateau - self.window).max(0.0) / Self::C).cbrt();
        self.plateau = self.plateau.max(self.window);
    }

    /// Grows the window during one round trip of this many seconds.
    fn grow(&mut self, rtt: f64) {
        self.time += rtt;
        let slow = 3.0 * (1.0 - Self::BETA) / (1.0 + Self::BETA);
        self.reno += if self.reno >= self.before { 1.0 } else { slow };
        let t = self.time - self.reached;
        let curve = self.plateau + Self::C * t * t * t;
        self.window = self.window.max(curve.max(self.reno).min(1.5 * self.window));
    }
}

/// The loss model.
#[derive(Clone, Copy, Debug)]
pub enum Losses {
    /// Each n-th segment is lost.
    Periodic,
    /// Each segment is lost with the probability 1/n.
    Random,
}

/// Returns the mean window of CUBIC in segments over this many reductions: a loss is detected a
/// round trip later, and the round trip of recovery adds nothing to the window.
pub fn cubic(rtt_ms: u64, n: u64, losses: Losses, fast_convergence: bool, reductions: u64) -> f64 {
    let rtt = rtt_ms as f64 / 1000.0;
    let mut random = Random::new(1, "losses");
    let mut since = 0.0;
    let mut loses = |sent: f64| match losses {
        Losses::Random => random.chance(sent / n as f64),
        Losses::Periodic => {
            since += sent;
            let lost = since >= n as f64;
            since -= if lost { n as f64 } else { 0.0 };
            lost
        }
    };
    let (mut segments, mut round_trips) = (0.0, 0.0);
    // The maximum window of a period of the response function: with periodic losses the window
    // leaves it only slowly.
    let mut flow = Cubic::new(response(rtt_ms, n) * 4.0 / 3.7, fast_convergence);
    for _ in 0..reductions {
        (segments, round_trips) = (segments + flow.window, round_trips + 1.0);
        let (mut lost, mut noticed) = (loses(flow.window), false);
        while !noticed {
            (segments, round_trips) = (segments + flow.window, round_trips + 1.0);
            noticed = lost;
            // Segments lost before the detection are recovered with it.
            lost |= loses(flow.window);
            flow.grow(rtt);
        }
        flow.reduce(fast_convergence);
    }
    segments / round_trips
}

/// The flow that an overflow of the queue slows down.
#[derive(Clone, Copy, Debug)]
pub enum Victim {
    /// The overflow may hit any flow.
    Any,
    /// The overflow hits a flow chosen in proportion to its window.
    BySize,
}

/// Returns the mean windows over a minute, after half a minute, of CUBIC flows that share a path of
/// `product` segments with a buffer of the same size; an overflow reduces one flow.
pub fn windows_that_share(flows: usize, product: f64, rtt: f64, victim: Victim, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed, "victims");
    let capacity = 2.0 * product;
    let mut all: Vec<Cubic> =
        (0..flows).map(|_| Cubic::new(capacity / flows as f64 * (0.5 + random.unit()), true)).collect();
    let (mut now, mut sums) = (0.0, vec![0.0; flows]);
    while now < 90.0 {
        let total: f64 = all.iter().map(|flow| flow.window).sum();
        let trip = rtt * (total / product).max(1.0);
        if now > 30.0 {
            sums.iter_mut().zip(&all).for_each(|(sum, flow)| *sum += flow.window);
        }
        now += trip;
        all.iter_mut().for_each(|flow| flow.grow(trip));
        if all.iter().map(|flow| flow.window).sum::<f64>() > capacity {
            let at = match victim {
                Victim::Any => random.up_to(flows as u64 - 1) as usize,
                Victim::BySize => {
                    let mut place = random.unit() * total;
                    let mut sizes = all.iter().map(|flow| flow.window);
                    let met = sizes.position(|size| {
                        place -= size;
                        place < 0.0
                    });
                    met.unwrap_or(flows - 1)
                }
            };
            all[at].reduce(true);
        }
    }
    sums
}
