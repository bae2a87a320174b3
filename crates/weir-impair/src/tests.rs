//! Tests impairments: frequencies, distributions and wrong settings.

use std::sync::Arc;

use weir_device::Nanos;

use crate::{
    Correlated, Correlations, FrameEffects, Impairer, Impairments, Jitter, Loss, MAX_DURATION, Random,
};

fn effects_of(config: Impairments, count: usize) -> Vec<FrameEffects> {
    config.check().unwrap();
    let mut impair = Impairer::new(&config, 5, "link a->b");
    (0..count).map(|_| impair.next_effects()).collect()
}

fn extras(jitter: Jitter) -> Vec<f64> {
    let config = Impairments { jitter, ..Impairments::default() };
    effects_of(config, 100_000).iter().map(|effects| effects.extra as f64).collect()
}

fn losses(loss: Loss, count: usize) -> Vec<bool> {
    effects_of(Impairments { loss, ..Impairments::default() }, count).iter().map(|s| s.lost).collect()
}

/// Returns the mean, the standard deviation, the minimum, the maximum.
fn describe(values: &[f64]) -> [f64; 4] {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    [mean, variance.sqrt(), least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

fn is_close(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

#[test]
fn jitter_has_the_moments_of_its_distribution() {
    let [mean, deviation, least, most] = describe(&extras(Jitter::Uniform(1000)));
    assert!(is_close(mean, 500.0, 5.0) && is_close(deviation, 288.7, 3.0) && (least, most) == (0.0, 1000.0));
    let [mean, deviation, least, most] = describe(&extras(Jitter::UniformAround(1000)));
    assert!(
        is_close(mean, 0.0, 10.0) && is_close(deviation, 577.4, 5.0) && (least, most) == (-1000.0, 1000.0)
    );
    let [mean, deviation, ..] = describe(&extras(Jitter::Normal { sigma: 1_000_000 }));
    assert!(is_close(mean, 0.0, 15_000.0) && is_close(deviation, 1e6, 1e4), "{mean} {deviation}");
    let [mean, deviation, least, _] = describe(&extras(Jitter::Exponential { mean: 1_000_000 }));
    assert!(
        is_close(mean, 1e6, 15_000.0) && is_close(deviation, 1e6, 2e4) && least >= 0.0,
        "{mean} {deviation}"
    );
    let [mean, deviation, least, _] = describe(&extras(Jitter::Pareto { scale: 800_000, shape: 5.0 }));
    assert!(
        is_close(mean, 1e6, 5e3)
            && is_close(deviation, 258_199.0, 15_000.0)
            && is_close(least, 800_000.0, 100.0)
    );
    // The mean of the full distribution is 0. The cut removes 1/91 of the values: mean -4/3 / 40.5,
    // standard deviation 4/3 · 0.6157 sigma.
    let [mean, deviation, least, most] = describe(&extras(Jitter::ParetoAround { sigma: 1_000_000 }));
    assert!(
        is_close(mean, -32_922.0, 10_000.0) && is_close(deviation, 821_000.0, 10_000.0),
        "{mean} {deviation}"
    );
    assert!(is_close(least, -666_667.0, 100.0) && most == 4e6, "{least} {most}");
    let table: Arc<[Nanos]> = [10, 20, 60].into();
    let [mean, _, least, most] = describe(&extras(Jitter::Table(table)));
    assert!(is_close(mean, 30.0, 0.3) && (least, most) == (10.0, 60.0));
}

#[test]
fn random_draws_are_portable() {
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
fn burst_losses_match_their_chain() {
    let config = Loss::GilbertElliott { enter: 0.01, leave: 0.2, good: 0.0, bad: 1.0 };
    let lost = losses(config, 400_000);
    let all = lost.iter().filter(|lost| **lost).count() as f64;
    let runs = (1..lost.len()).filter(|i| lost[*i] && !lost[i - 1]).count() as f64;
    assert!(is_close(all / 4e5, 0.01 / 0.21, 0.003), "share {}", all / 4e5);
    assert!(is_close(all / runs, 5.0, 0.2), "mean run {}", all / runs);

    let config = Loss::GilbertElliott { enter: 0.05, leave: 0.05, good: 0.1, bad: 0.5 };
    let share = losses(config, 400_000).iter().filter(|lost| **lost).count() as f64 / 4e5;
    assert!(is_close(share, 0.3, 0.01), "{share}");
}

#[test]
fn counted_losses_are_exact() {
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
fn duplication_and_reordering_rates_hold() {
    let config = Impairments { duplicate: 0.2, reorder: Some((0.1, 500)), ..Impairments::default() };
    let effects = effects_of(config, 100_000);
    let duplicates = effects.iter().filter(|s| s.duplicated).count();
    let held = effects.iter().filter(|s| s.overtakes).count();
    assert!((19_600..20_400).contains(&duplicates) && (9_700..10_300).contains(&held), "{duplicates} {held}");
    assert!(effects.iter().all(|s| s.extra == if s.overtakes { 500 } else { 0 }));
    // A frame may be lost and duplicated: a queueing discipline that marks frames instead of
    // dropping them needs both effects.
    let config = Impairments { loss: Loss::Random(1.0), duplicate: 1.0, ..Impairments::default() };
    assert!(effects_of(config, 100).iter().all(|s| s.lost && s.duplicated));
}

#[test]
fn one_effect_changes_no_other() {
    let loss = Loss::Random(0.3);
    let jitter = Jitter::Exponential { mean: 1000 };
    let both = effects_of(
        Impairments { loss: loss.clone(), jitter: jitter.clone(), duplicate: 0.5, ..Impairments::default() },
        1000,
    );
    let lost: Vec<_> = both.iter().map(|s| s.lost).collect();
    assert_eq!(lost, losses(loss, 1000));
    let alone = effects_of(Impairments { jitter, ..Impairments::default() }, 1000);
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
    assert!(loss(Loss::Frames([0].into())).contains("numbers from 1"));
    let ways = Loss::FourState { p13: 0.6, p31: 0.1, p32: 0.1, p23: 0.1, p14: 0.6 };
    assert!(loss(ways).contains("add up to 1 or less"));
    assert!(message(Impairments { corrupt: -0.1, ..Impairments::default() }).contains("setting corrupt"));
    let correlation = Correlations { loss: 1.1, ..Correlations::default() };
    assert!(message(Impairments { correlation, ..Impairments::default() }).contains("setting correlation"));
    assert!(jitter(Jitter::Uniform(u64::MAX)).contains("at most 2^62 ns"));
    assert!(jitter(Jitter::UniformAround(1 << 62)).contains("at most 2^62 ns"));
    assert!(jitter(Jitter::Table([].into())).contains("at least one"));
    assert!(jitter(Jitter::Pareto { scale: 1, shape: 0.0 }).contains("shape 0"));
    assert!(message(Impairments { duplicate: 2.0, ..Impairments::default() }).contains("setting duplicate"));
    assert!(
        message(Impairments { reorder: Some((0.1, u64::MAX)), ..Impairments::default() }).contains("reorder")
    );
}

#[test]
fn extremes_stay_in_range() {
    let most = MAX_DURATION as i64;
    for jitter in [
        Jitter::Pareto { scale: MAX_DURATION, shape: 0.1 },
        Jitter::Normal { sigma: MAX_DURATION },
        Jitter::Exponential { mean: MAX_DURATION },
    ] {
        let mut random = Random::new(1, "extremes");
        assert!((0..10_000).all(|_| jitter.draw(&mut random).abs() <= most));
    }
}

#[test]
fn correlated_numbers_are_netems() {
    // The numbers are u' = 0.25 u + 0.75 new. Their mean is that of uniform numbers, and their
    // variance is 1/12 times 0.75² / (1 - 0.25²).
    let mut stream = Correlated::new(3, "numbers");
    let numbers: Vec<f64> = (0..200_000).map(|_| stream.unit(0.25)).collect();
    let [mean, deviation, ..] = describe(&numbers);
    let expected = (0.75f64 * 0.75 / (1.0 - 0.0625) / 12.0).sqrt();
    assert!(
        is_close(mean, 0.5, 0.003) && is_close(deviation, expected, 0.003),
        "{mean} {deviation} {expected}"
    );
    let pairs = numbers.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>();
    let dependence = pairs / numbers.len() as f64 / (deviation * deviation);
    assert!(is_close(dependence, 0.25, 0.01), "{dependence}");
    // With correlation 1 the number never changes.
    assert!((0..100).map(|_| stream.unit(1.0)).all(|number| number == numbers[numbers.len() - 1]));
}

#[test]
fn correlated_losses_come_in_bursts() {
    let runs = |correlation| {
        let correlation = Correlations { loss: correlation, ..Correlations::default() };
        let config = Impairments { loss: Loss::Random(0.5), correlation, ..Impairments::default() };
        let lost: Vec<_> = effects_of(config, 100_000).iter().map(|effects| effects.lost).collect();
        let all = lost.iter().filter(|lost| **lost).count() as f64;
        let runs = (1..lost.len()).filter(|i| lost[*i] && !lost[i - 1]).count() as f64;
        (all / 1e5, all / runs)
    };
    let ((alone, short), (together, long)) = (runs(0.0), runs(0.8));
    assert!(is_close(alone, 0.5, 0.01) && is_close(together, 0.5, 0.02), "{alone} {together}");
    assert!(is_close(short, 2.0, 0.05) && long > 4.0, "{short} {long}");
}

#[test]
fn correlated_jitter_keeps_its_range() {
    let around = |correlation| {
        let correlation = Correlations { jitter: correlation, ..Correlations::default() };
        let jitter = Jitter::UniformAround(1000);
        let config = Impairments { jitter, correlation, ..Impairments::default() };
        effects_of(config, 100_000).iter().map(|effects| effects.extra as f64).collect::<Vec<_>>()
    };
    let spread = around(0.5);
    let steps = spread.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>() / 1e5;
    let wild = around(0.0).windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>() / 1e5;
    let [mean, _, least, most] = describe(&spread);
    assert!(
        is_close(mean, 0.0, 10.0) && (-1000.0..-900.0).contains(&least) && (900.0..=1000.0).contains(&most)
    );
    assert!(steps < 0.6 * wild, "{steps} {wild}");
}

#[test]
fn quantiles_match_draws() {
    let table: Arc<[Nanos]> = [10, 20, 60].into();
    for jitter in [
        Jitter::Uniform(1_000_000),
        Jitter::UniformAround(1_000_000),
        Jitter::Normal { sigma: 1_000_000 },
        Jitter::Exponential { mean: 1_000_000 },
        Jitter::Pareto { scale: 800_000, shape: 5.0 },
        Jitter::ParetoAround { sigma: 1_000_000 },
        Jitter::ParetoNormalAround { sigma: 1_000_000 },
        Jitter::Table(table),
    ] {
        let mut drawn = extras(jitter.clone());
        drawn.sort_by(f64::total_cmp);
        for at in [0.05, 0.3, 0.5, 0.8, 0.95] {
            let quantile = drawn[(at * drawn.len() as f64) as usize];
            let expected = jitter.quantile(at) as f64;
            assert!(is_close(quantile, expected, 25_000.0), "{jitter:?} {at}: {quantile} {expected}");
        }
    }
}

#[test]
fn four_state_losses_match_their_chain() {
    // The gap period changes to a burst with probability 1 %. In a burst, losses change to the gap
    // period with 10 % and to deliveries with 20 %, and deliveries change to losses with 50 %.
    let config = Loss::FourState { p13: 0.01, p31: 0.1, p32: 0.2, p23: 0.5, p14: 0.02 };
    let lost = losses(config, 400_000);
    // The stationary distribution, from the balance equations: bad·p31 = good·p13, gap·p23 =
    // bad·p32, single = good·p14.
    let (good, bad) = (1.0, 0.1);
    let (gap, single) = (bad * 0.2 / 0.5, 0.02);
    let expected = (bad + single) / (good + bad + gap + single);
    let share = lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64;
    assert!(is_close(share, expected, 0.005), "{share} {expected}");
    // Without bursts, all losses are single.
    let lost = losses(Loss::FourState { p13: 0.0, p31: 1.0, p32: 0.0, p23: 1.0, p14: 0.3 }, 10_000);
    assert!(lost.windows(2).all(|pair| !(pair[0] && pair[1])) && lost.contains(&true));
}

#[test]
fn corruption_flips_one_bit() {
    let config = Impairments { corrupt: 0.25, ..Impairments::default() };
    let effects = effects_of(config, 100_000);
    let mut places = [0u32; 800];
    let mut corrupted = 0;
    for effects in &effects {
        let mut frame = [0u8; 100];
        effects.corrupt(&mut frame);
        let flipped: Vec<usize> = (0..800).filter(|bit| frame[bit / 8] >> (bit % 8) & 1 == 1).collect();
        assert!(flipped.len() <= 1);
        corrupted += flipped.len();
        flipped.iter().for_each(|bit| places[*bit] += 1);
    }
    assert!((24_400..25_600).contains(&corrupted), "{corrupted}");
    // Each of the 800 bits is equally likely: 31 times on average.
    assert!(places.iter().all(|count| (5..80).contains(count)));
    let mut nothing = [];
    assert!(effects.iter().all(|effects| !effects.corrupt(&mut nothing)));
}
