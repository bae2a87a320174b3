//! Sends all frames of a list, with a limited number of attempts.

use crate::{Frame, PortError, Transmit};

/// The number of times that a full queue is tried again before its frames are dropped one by one.
const ATTEMPTS: usize = 8;

/// Sends the frames with these numbers, as far as the interface accepts them. A frame that the
/// other end of a veth pair refuses looks like a full queue. Such a frame must not stop the
/// following frames, so if the queue has been full too often, one frame is skipped at a time.
///
/// `left_out` is called with the number of each frame that the interface did not accept.
///
/// # Errors
/// The port failed; the number is the place in `numbers` of the first frame that was not handled.
pub fn send_all(
    transmit: &mut dyn Transmit,
    frames: &[Frame<'_>],
    numbers: &[u16],
    mut left_out: impl FnMut(u16),
) -> Result<(), (PortError, usize)> {
    let (mut handled, mut refusals) = (0, 0);
    while let Some(rest @ [first, ..]) = numbers.get(handled..) {
        let sent = transmit.transmit(frames, rest).map_err(|error| (error, handled))?;
        handled += sent;
        if sent == 0 {
            refusals += 1;
            if refusals >= ATTEMPTS {
                left_out(*first);
                handled += 1;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metadata, Offloads, TransmitCounts};

    /// A port that accepts frames of up to 100 bytes. It has no room for longer frames.
    #[derive(Default)]
    struct Veth(TransmitCounts, usize);

    impl Transmit for Veth {
        fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError> {
            self.1 += 1;
            let fits = |number: &&u16| frames[usize::from(**number)].len() <= 100;
            let taken = numbers.iter().take_while(fits).count();
            self.0.frames += taken as u64;
            Ok(taken)
        }

        fn offloads(&self) -> Offloads {
            Offloads::default()
        }

        fn counts(&self) -> TransmitCounts {
            self.0
        }
    }

    #[test]
    fn a_frame_that_is_refused_does_not_stop_the_others() {
        let plain = |length| Frame::copy_of(&vec![0; length], Metadata::default());
        let frames = [plain(60), plain(200), plain(61), plain(201), plain(62)];
        let (mut veth, mut left_out) = (Veth::default(), Vec::new());
        send_all(&mut veth, &frames, &[0, 1, 2, 3, 4], |number| left_out.push(number)).unwrap();
        assert_eq!((veth.0.frames, &left_out[..]), (3, &[1, 3][..]));
        assert!(veth.1 < 20, "{} attempts", veth.1);
    }
}
