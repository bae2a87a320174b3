use proptest::prelude::*;

use super::*;

/// Returns for each segment whether it is marked as arrived.
fn arrived(board: &Scoreboard) -> Vec<bool> {
    board.sent.iter().map(|sent| sent.has_flag(SACKED)).collect()
}

proptest! {
    /// Blocks that grow, merge and repeat, as in acknowledgements.
    #[test]
    fn earlier_reports_are_kept(
        lengths in prop::collection::vec(1_u32..20, 2..60),
        blocks in prop::collection::vec((0_usize..60, 1_usize..30, any::<bool>()), 1..40),
    ) {
        let mut board = Scoreboard::new(true);
        let (mut edges, mut delivery) = (vec![1], Delivery::new());
        for length in &lengths {
            let start = edges[edges.len() - 1];
            board.push(start, *length, delivery.on_send(0, 1));
            edges.push(start + u64::from(*length));
        }
        let mut expected = vec![false; lengths.len()];
        for (first, count, timed_out) in blocks {
            let first = first % lengths.len();
            let behind = (first + count).min(lengths.len());
            let news = expected[first..behind].contains(&false);
            expected[first..behind].fill(true);
            let mut progress = Progress::default();
            let arrival =
                &mut Arrival { now: 1, min_rtt: 0, answered: 9, delivery: &mut delivery, progress: &mut progress };
            prop_assert_eq!(board.sack(edges[first], edges[behind], arrival), news);
            prop_assert_eq!(arrived(&board), &expected[..]);
            prop_assert_eq!(board.pipe(), board.count_pipe());
            if timed_out {
                // The first segment was reported as arrived and is not acknowledged, so all SACK
                // information is discarded.
                if expected[0] {
                    expected.fill(false);
                }
                board.mark_all_lost();
                prop_assert_eq!(arrived(&board), &expected[..]);
            }
        }
    }
}
