//! Sampling of link ends.

use weir_device::Nanos;

use super::{LinkEnd, LinkId, Network, StopCondition};
use crate::Error;
use crate::sample::{MAX_SAMPLES, Sample, SampledEnd, Sampler, SamplerId};

impl Network {
    /// Samples link ends at regular intervals from now on. The first sample is for the current time
    /// and is taken when the network next runs.
    ///
    /// # Errors
    /// A node does not exist, nothing is connected at a port, or the interval is 0.
    pub fn sample(&mut self, ends: &[LinkEnd], every: Nanos) -> Result<SamplerId, Error> {
        if every == 0 {
            return Err(Error::BadApp {
                app: "sampler",
                reason: "an interval of 0; expected 1 ns or more".into(),
            });
        }
        let places = self.places(ends)?;
        let next = self.now();
        let sampled =
            |(link, side)| SampledEnd { link, side, samples: Vec::new(), waiting: Vec::new(), queues: 0 };
        let ends = places.into_iter().map(sampled).collect();
        self.samplers.samplers.push(Sampler { every, next, ends });
        self.samplers.update_next_time();
        Ok(SamplerId(self.samplers.samplers.len() - 1))
    }

    /// Stops a sampler; its samples stay.
    ///
    /// # Errors
    /// There is no such sampler.
    pub fn stop_sampler(&mut self, id: SamplerId) -> Result<(), Error> {
        self.sampler_mut(id)?.next = Nanos::MAX;
        self.samplers.update_next_time();
        Ok(())
    }

    /// Returns the samples of one link end, by its index in the given list. The slice is empty if
    /// there is no such index.
    ///
    /// # Errors
    /// There is no such sampler.
    pub fn samples(&self, id: SamplerId, end: usize) -> Result<&[Sample], Error> {
        let sampler = self.samplers.samplers.get(id.0);
        let sampler = sampler.ok_or(Error::UnknownId { what: "sampler", number: id.0 })?;
        Ok(sampler.ends.get(end).map_or(&[], |sampled| &sampled.samples))
    }

    /// Returns the lengths of the device's queues for the port at a link end: a row for each queue
    /// with a number for each sample. No rows for a host or a device without queues.
    ///
    /// # Errors
    /// There is no such sampler.
    pub fn device_queue_samples(&self, id: SamplerId, end: usize) -> Result<Vec<Vec<u32>>, Error> {
        let sampler = self.samplers.samplers.get(id.0);
        let sampler = sampler.ok_or(Error::UnknownId { what: "sampler", number: id.0 })?;
        let Some(sampled) = sampler.ends.get(end) else { return Ok(Vec::new()) };
        let row = |queue| sampled.waiting.iter().skip(queue).step_by(sampled.queues).copied().collect();
        Ok((0..sampled.queues).map(row).collect())
    }

    fn sampler_mut(&mut self, id: SamplerId) -> Result<&mut Sampler, Error> {
        let sampler = self.samplers.samplers.get_mut(id.0);
        sampler.ok_or(Error::UnknownId { what: "sampler", number: id.0 })
    }

    /// Takes the samples that are due before any event, if the stop condition lets the clock
    /// advance that far. Returns whether it took any.
    pub(crate) fn sample_until(&mut self, goal: StopCondition, until: Nanos) -> bool {
        let time = self.samplers.next_time();
        // Without pending events, the clock advances only if the stop condition is a time.
        if time > until
            || time == Nanos::MAX
            || (self.events_pending() == 0 && !matches!(goal, StopCondition::Time(_)))
        {
            return false;
        }
        self.advance_clock(time);
        let mut samplers = std::mem::take(&mut self.samplers.samplers);
        for sampler in samplers.iter_mut().filter(|sampler| sampler.next == time) {
            for sampled in &mut sampler.ends {
                sampled.samples.push(self.sample_end(sampled.link, sampled.side));
                let waiting = self.waiting_at(sampled.link, sampled.side);
                sampled.queues = waiting.len();
                sampled.waiting.extend(waiting.into_iter().map(|packets| packets as u32));
            }
            sampler.next = time.saturating_add(sampler.every);
            if sampler.ends.iter().any(|sampled| sampled.samples.len() >= MAX_SAMPLES) {
                sampler.next = Nanos::MAX;
                self.samplers.full = true;
            }
        }
        self.samplers.samplers = samplers;
        self.samplers.update_next_time();
        true
    }

    fn sample_end(&self, link: usize, side: usize) -> Sample {
        let direction = crate::Direction::BOTH[side];
        let counters = self.link_counters(LinkId(link), direction).unwrap_or_default();
        Sample {
            time: self.now(),
            queue_packets: counters.queue_now as u64,
            sent_packets: counters.sent_packets,
            sent_bytes: counters.sent_bytes,
            dropped_packets: counters.dropped_packets(),
            marked_packets: counters.marked,
            busy: counters.busy.saturating_sub(self.remaining_busy_time(link, side)),
        }
    }
}
