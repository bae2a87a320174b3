//! What happens to frames on the wire: delay that varies, loss, copies, changes of order.
//!
//! Each effect draws from a stream of its own, once a frame, so that switching one on or off changes no other.

use std::sync::Arc;

use weir_switch::Nanos;

use super::LONGEST;
use crate::{Error, Random, math};

/// How one direction of a link treats the frames that were sent. Nothing happens by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// What is added to each frame's delay.
    pub jitter: Jitter,
    /// Whether a frame that jitter delays less may overtake the one before it. If not, it arrives at the same time, after it.
    pub overtake: bool,
    /// Which frames do not arrive.
    pub loss: Loss,
    /// The probability from 0 to 1 that a frame which arrives does so twice; the copy comes at the same time, right behind.
    pub duplicate: f64,
    /// The probability from 0 to 1 that a frame is held, and for how many nanoseconds longer: those behind it pass meanwhile.
    pub reorder: Option<(f64, Nanos)>,
}

/// What is added to each frame's propagation delay, drawn anew for each frame. The sum is never below 0: a distribution around 0 is
/// cut at minus the delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Jitter {
    /// Nothing.
    #[default]
    None,
    /// Uniform from 0 to so many nanoseconds, both included.
    Uniform(Nanos),
    /// Uniform around 0, from minus to plus so many nanoseconds: netem's `delay D J`.
    UniformAround(Nanos),
    /// Normal around 0.
    Normal {
        /// The standard deviation in nanoseconds.
        sigma: Nanos,
    },
    /// Exponential: as between events that do not know of one another.
    Exponential {
        /// The mean in nanoseconds.
        mean: Nanos,
    },
    /// Pareto: P(more than x) = (scale / x)^shape. Its mean is scale · shape / (shape - 1) where the shape is above 1.
    Pareto {
        /// The least, in nanoseconds.
        scale: Nanos,
        /// How fast the tail falls, above 0; heavy below 2.
        shape: f64,
    },
    /// netem's `distribution pareto`: sigma · 4/3 · (X - 1.5), X Pareto of minimum 1 and shape 3, cut at 4 sigma.
    ParetoAround {
        /// netem's jitter, in nanoseconds.
        sigma: Nanos,
    },
    /// One of these values in nanoseconds, each as likely: a measured distribution.
    Table(Arc<[Nanos]>),
}

/// Which frames are lost on the wire. Each takes its time to be sent all the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// None.
    #[default]
    None,
    /// Each with this probability from 0 to 1, whatever became of others.
    Random(f64),
    /// Bursts: a chain of a good and a bad state (Gilbert 1960, Elliott 1963), one step a frame, good at first. A frame is lost by the
    /// probability of the state it finds. The bad state lasts 1 / leave frames in the mean.
    GilbertElliott {
        /// The probability of a step from good to bad.
        enter: f64,
        /// The probability of a step from bad to good.
        leave: f64,
        /// The probability of loss in the good state; Gilbert's model has 0.
        good: f64,
        /// The probability of loss in the bad state.
        bad: f64,
    },
    /// Every n-th frame: n, 2n, 3n, … counted from 1.
    Every(u64),
    /// The frames of these numbers, counted from 1, ascending.
    Frames(Arc<[u64]>),
}

impl Impairments {
    /// # Errors
    /// A setting is out of its range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.jitter.check()?;
        self.loss.check()?;
        probability("duplicate", self.duplicate)?;
        if let Some((share, by)) = self.reorder {
            probability("reorder", share)?;
            time("reorder", by)?;
        }
        Ok(())
    }
}

fn bad(setting: &'static str, value: String, expected: &'static str) -> Result<(), Error> {
    Err(Error::BadLink { setting, value, expected })
}

fn probability(setting: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    bad(setting, value.to_string(), "a probability from 0 to 1")
}

fn time(setting: &'static str, value: Nanos) -> Result<(), Error> {
    if value <= LONGEST { Ok(()) } else { bad(setting, format!("{value} ns"), "at most 2^62 ns") }
}

impl Jitter {
    fn check(&self) -> Result<(), Error> {
        match self {
            Jitter::None => Ok(()),
            // Twice the bound has to fit, too.
            Jitter::UniformAround(bound) => time("jitter", bound.saturating_mul(2)),
            Jitter::Uniform(time_or_scale)
            | Jitter::Normal { sigma: time_or_scale }
            | Jitter::Exponential { mean: time_or_scale }
            | Jitter::ParetoAround { sigma: time_or_scale } => time("jitter", *time_or_scale),
            Jitter::Pareto { scale, shape } => {
                time("jitter", *scale)?;
                // The tail of smaller shapes leaves the range of numbers too often to mean anything.
                if (0.1..=1e6).contains(shape) {
                    return Ok(());
                }
                bad("jitter", format!("shape {shape}"), "a shape from 0.1 to 1000000")
            }
            Jitter::Table(values) => {
                if values.is_empty() {
                    return bad("jitter", "a table without values".into(), "at least one");
                }
                values.iter().try_for_each(|value| time("jitter", *value))
            }
        }
    }

    /// Nanoseconds to add, perhaps below 0; within ± 2^62.
    pub(crate) fn draw(&self, random: &mut Random) -> i64 {
        let longest = LONGEST as i64;
        let scaled = |unit: Nanos, by: f64| math::whole(unit as f64 * by).clamp(-longest, longest);
        match self {
            Jitter::None => 0,
            Jitter::Uniform(bound) => random.up_to(*bound) as i64,
            Jitter::UniformAround(bound) => random.up_to(2 * bound) as i64 - *bound as i64,
            Jitter::Normal { sigma } => scaled(*sigma, math::normal(random)),
            Jitter::Exponential { mean } => scaled(*mean, math::exponential(random)),
            Jitter::Pareto { scale, shape } => scaled(*scale, math::pareto(random, *shape)),
            Jitter::ParetoAround { sigma } => {
                scaled(*sigma, ((math::pareto(random, 3.0) - 1.5) * 4.0 / 3.0).min(4.0))
            }
            Jitter::Table(values) => values[random.up_to(values.len() as u64 - 1) as usize] as i64,
        }
    }
}

impl Loss {
    fn check(&self) -> Result<(), Error> {
        match self {
            Loss::None => Ok(()),
            Loss::Random(share) => probability("loss", *share),
            Loss::GilbertElliott { enter, leave, good, bad } => {
                [enter, leave, good, bad].into_iter().try_for_each(|share| probability("loss", *share))
            }
            Loss::Every(0) => bad("loss", "every 0th frame".into(), "every 1st (all), 2nd, 3rd, …"),
            Loss::Every(_) => Ok(()),
            Loss::Frames(numbers) => {
                let ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
                if ascending && numbers.first() != Some(&0) {
                    return Ok(());
                }
                bad("loss", format!("frames {numbers:?}"), "numbers from 1 on, in ascending order")
            }
        }
    }
}

/// What becomes of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Struck {
    /// It does not arrive.
    pub(crate) lost: bool,
    /// Nanoseconds that it takes longer, or if negative less, than the delay.
    pub(crate) extra: i64,
    /// A copy arrives right behind it. Never of one that is lost.
    pub(crate) twin: bool,
    /// Order does not bind it: it may arrive before frames sent earlier, and those sent later before it.
    pub(crate) overtakes: bool,
}

/// The impairments of one direction, as they go.
#[derive(Clone, Debug)]
pub(crate) struct Impair {
    config: Impairments,
    /// Nothing ever happens.
    idle: bool,
    jitter: Random,
    loss: Random,
    duplicate: Random,
    reorder: Random,
    /// The bad state of [`Loss::GilbertElliott`].
    in_bad_state: bool,
    /// Frames so far, since the loss was set.
    seen: u64,
    /// How many of [`Loss::Frames`] are behind.
    passed: usize,
}

impl Impair {
    /// `name` is that of the place, such as `link h1-eth0->s1-p1`.
    pub(crate) fn new(config: &Impairments, seed: u64, name: &str) -> Self {
        let stream = |effect| Random::new(seed, &format!("{name} {effect}"));
        Impair {
            idle: *config == Impairments::default(),
            config: config.clone(),
            jitter: stream("jitter"),
            loss: stream("loss"),
            duplicate: stream("duplicate"),
            reorder: stream("reorder"),
            in_bad_state: false,
            seen: 0,
            passed: 0,
        }
    }

    /// Other settings from the next frame on; the streams go on. A loss that changes counts frames anew and begins in the good state.
    pub(crate) fn set_config(&mut self, config: &Impairments) {
        if config.loss != self.config.loss {
            (self.in_bad_state, self.seen, self.passed) = (false, 0, 0);
        }
        self.idle = *config == Impairments::default();
        self.config = config.clone();
    }

    /// What becomes of the next frame.
    pub(crate) fn strike(&mut self) -> Struck {
        if self.idle {
            return Struck::default();
        }
        let lost = self.lose();
        let mut extra = self.config.jitter.draw(&mut self.jitter);
        let twin = self.config.duplicate > 0.0 && self.duplicate.chance(self.config.duplicate);
        let mut overtakes = self.config.overtake;
        if let Some((share, by)) = self.config.reorder
            && self.reorder.chance(share)
        {
            extra = extra.saturating_add(by as i64);
            overtakes = true;
        }
        Struck { lost, extra, twin: twin && !lost, overtakes }
    }

    fn lose(&mut self) -> bool {
        self.seen += 1;
        match &self.config.loss {
            Loss::None => false,
            Loss::Random(share) => self.loss.chance(*share),
            Loss::GilbertElliott { enter, leave, good, bad } => {
                let (share, step) = if self.in_bad_state { (*bad, *leave) } else { (*good, *enter) };
                let lost = self.loss.chance(share);
                self.in_bad_state ^= self.loss.chance(step);
                lost
            }
            Loss::Every(n) => self.seen.is_multiple_of(*n),
            Loss::Frames(numbers) => {
                let lost = numbers.get(self.passed) == Some(&self.seen);
                self.passed += usize::from(lost);
                lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(config: Impairments, count: usize) -> Vec<Struck> {
        config.check().unwrap();
        let mut impair = Impair::new(&config, 5, "link a->b");
        (0..count).map(|_| impair.strike()).collect()
    }

    fn extras(jitter: Jitter) -> Vec<f64> {
        let config = Impairments { jitter, ..Impairments::default() };
        strikes(config, 100_000).iter().map(|struck| struck.extra as f64).collect()
    }

    fn losses(loss: Loss, count: usize) -> Vec<bool> {
        strikes(Impairments { loss, ..Impairments::default() }, count).iter().map(|s| s.lost).collect()
    }

    /// Mean, standard deviation, least, most.
    fn describe(values: &[f64]) -> [f64; 4] {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        [mean, variance.sqrt(), least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
    }

    fn near(found: f64, expected: f64, within: f64) -> bool {
        (found - expected).abs() <= within
    }

    #[test]
    fn jitter_has_the_moments_of_its_distribution() {
        let [mean, deviation, least, most] = describe(&extras(Jitter::Uniform(1000)));
        assert!(near(mean, 500.0, 5.0) && near(deviation, 288.7, 3.0) && (least, most) == (0.0, 1000.0));
        let [mean, deviation, least, most] = describe(&extras(Jitter::UniformAround(1000)));
        assert!(near(mean, 0.0, 10.0) && near(deviation, 577.4, 5.0) && (least, most) == (-1000.0, 1000.0));
        let [mean, deviation, ..] = describe(&extras(Jitter::Normal { sigma: 1_000_000 }));
        assert!(near(mean, 0.0, 15_000.0) && near(deviation, 1e6, 1e4), "{mean} {deviation}");
        let [mean, deviation, least, _] = describe(&extras(Jitter::Exponential { mean: 1_000_000 }));
        assert!(near(mean, 1e6, 15_000.0) && near(deviation, 1e6, 2e4) && least >= 0.0, "{mean} {deviation}");
        let [mean, deviation, least, _] = describe(&extras(Jitter::Pareto { scale: 800_000, shape: 5.0 }));
        assert!(
            near(mean, 1e6, 5e3) && near(deviation, 258_199.0, 15_000.0) && near(least, 800_000.0, 100.0)
        );
        // Uncut the mean is 0; the cut takes 1/91 of the values: mean -4/3 / 40.5, deviation 4/3 · 0.6157 sigma.
        let [mean, deviation, least, most] = describe(&extras(Jitter::ParetoAround { sigma: 1_000_000 }));
        assert!(
            near(mean, -32_922.0, 10_000.0) && near(deviation, 821_000.0, 10_000.0),
            "{mean} {deviation}"
        );
        assert!(near(least, -666_667.0, 100.0) && most == 4e6, "{least} {most}");
        let table: Arc<[Nanos]> = [10, 20, 60].into();
        let [mean, _, least, most] = describe(&extras(Jitter::Table(table)));
        assert!(near(mean, 30.0, 0.3) && (least, most) == (10.0, 60.0));
    }

    #[test]
    fn draws_are_the_same_in_debug_and_release_builds_and_on_every_machine() {
        let table: Arc<[Nanos]> = [10, 20, 60].into();
        let digest = |jitter: Jitter| {
            let bytes = extras(jitter).into_iter().flat_map(|extra| (extra as i64).to_le_bytes());
            bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
        };
        let digests = [
            Jitter::Uniform(1000),
            Jitter::UniformAround(1000),
            Jitter::Normal { sigma: 1_000_000 },
            Jitter::Exponential { mean: 1_000_000 },
            Jitter::Pareto { scale: 800_000, shape: 1.7 },
            Jitter::ParetoAround { sigma: 1_000_000 },
            Jitter::Table(table),
        ]
        .map(|jitter| format!("{:016x}", digest(jitter)));
        let expected = "3f89c4bea9d416e6 9562bb2a7ba985ff fc478be0cacde105 2a53d297936e447f \
                        c18724ed914febb3 7de34f36da8db8f3 8a3cba9c8bd12c7b";
        assert_eq!(digests.join(" "), expected);
    }

    #[test]
    fn bursts_are_as_long_and_as_frequent_as_the_chain_says() {
        let config = Loss::GilbertElliott { enter: 0.01, leave: 0.2, good: 0.0, bad: 1.0 };
        let lost = losses(config, 400_000);
        let all = lost.iter().filter(|lost| **lost).count() as f64;
        let runs = (1..lost.len()).filter(|i| lost[*i] && !lost[i - 1]).count() as f64;
        assert!(near(all / 4e5, 0.01 / 0.21, 0.003), "share {}", all / 4e5);
        assert!(near(all / runs, 5.0, 0.2), "mean run {}", all / runs);

        let config = Loss::GilbertElliott { enter: 0.05, leave: 0.05, good: 0.1, bad: 0.5 };
        let share = losses(config, 400_000).iter().filter(|lost| **lost).count() as f64 / 4e5;
        assert!(near(share, 0.3, 0.01), "{share}");
    }

    #[test]
    fn counted_losses_strike_exactly() {
        let at = |loss| {
            let lost = losses(loss, 10);
            (1..=10).filter(|n| lost[n - 1]).collect::<Vec<_>>()
        };
        assert_eq!(at(Loss::Every(3)), [3, 6, 9]);
        assert_eq!(at(Loss::Every(1)).len(), 10);
        assert_eq!(at(Loss::Frames([1, 4, 10, 12].into())), [1, 4, 10]);
        assert_eq!(at(Loss::None), [0; 0]);
    }

    #[test]
    fn copies_and_holds_are_as_frequent_as_asked_for() {
        let config = Impairments { duplicate: 0.2, reorder: Some((0.1, 500)), ..Impairments::default() };
        let struck = strikes(config, 100_000);
        let twins = struck.iter().filter(|s| s.twin).count();
        let held = struck.iter().filter(|s| s.overtakes).count();
        assert!((19_600..20_400).contains(&twins) && (9_700..10_300).contains(&held), "{twins} {held}");
        assert!(struck.iter().all(|s| s.extra == if s.overtakes { 500 } else { 0 }));
        let config = Impairments { loss: Loss::Random(1.0), duplicate: 1.0, ..Impairments::default() };
        assert!(strikes(config, 100).iter().all(|s| s.lost && !s.twin));
    }

    #[test]
    fn one_effect_changes_no_other() {
        let loss = Loss::Random(0.3);
        let jitter = Jitter::Exponential { mean: 1000 };
        let both = strikes(
            Impairments {
                loss: loss.clone(),
                jitter: jitter.clone(),
                duplicate: 0.5,
                ..Impairments::default()
            },
            1000,
        );
        let lost: Vec<_> = both.iter().map(|s| s.lost).collect();
        assert_eq!(lost, losses(loss, 1000));
        let alone = strikes(Impairments { jitter, ..Impairments::default() }, 1000);
        assert!(both.iter().zip(&alone).all(|(a, b)| a.extra == b.extra));
    }

    #[test]
    fn wrong_settings_are_refused() {
        let message = |config: Impairments| config.check().unwrap_err().to_string();
        let loss = |loss| message(Impairments { loss, ..Impairments::default() });
        let jitter = |jitter| message(Impairments { jitter, ..Impairments::default() });
        assert_eq!(
            loss(Loss::Random(1.5)),
            "link setting loss: 1.5 is out of range; expected a probability from 0 to 1"
        );
        assert!(loss(Loss::Random(f64::NAN)).contains("NaN"));
        assert!(
            loss(Loss::GilbertElliott { enter: 0.1, leave: -1.0, good: 0.0, bad: 1.0 }).contains("-1 is out")
        );
        assert!(loss(Loss::Every(0)).contains("every 0th frame"));
        assert!(loss(Loss::Frames([3, 2].into())).contains("ascending"));
        assert!(loss(Loss::Frames([0].into())).contains("from 1 on"));
        assert!(jitter(Jitter::Uniform(u64::MAX)).contains("at most 2^62 ns"));
        assert!(jitter(Jitter::UniformAround(1 << 62)).contains("at most 2^62 ns"));
        assert!(jitter(Jitter::Table([].into())).contains("at least one"));
        assert!(jitter(Jitter::Pareto { scale: 1, shape: 0.0 }).contains("shape 0"));
        assert!(
            message(Impairments { duplicate: 2.0, ..Impairments::default() }).contains("setting duplicate")
        );
        assert!(
            message(Impairments { reorder: Some((0.1, u64::MAX)), ..Impairments::default() })
                .contains("reorder")
        );
    }

    #[test]
    fn extremes_stay_in_range() {
        let most = LONGEST as i64;
        for jitter in [
            Jitter::Pareto { scale: LONGEST, shape: 0.1 },
            Jitter::Normal { sigma: LONGEST },
            Jitter::Exponential { mean: LONGEST },
        ] {
            let mut random = Random::new(1, "extremes");
            assert!((0..10_000).all(|_| jitter.draw(&mut random).abs() <= most));
        }
    }
}
