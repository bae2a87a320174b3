//! Samples the queue of one direction of a link at fixed intervals.

use serde_json::{Value, json};
use weir_device::Nanos;

use crate::direction::QueueSample;
use crate::link::Link;

/// Samples the queue of one direction of a link.
pub struct Sampler {
    /// The number of the link.
    pub link: u64,
    direction: usize,
    every: Nanos,
    next: Nanos,
    rows: Vec<(Nanos, QueueSample)>,
}

impl Sampler {
    /// Creates a sampler whose first sample is taken after one interval.
    pub fn new(link: u64, direction: usize, every: Nanos, now: Nanos) -> Self {
        Self { link, direction, every, next: now.saturating_add(every), rows: Vec::new() }
    }

    /// Returns the time of the next sample.
    pub fn next_time(&self) -> Nanos {
        self.next
    }

    /// Takes a sample of the link if one is due. Missed samples are left out.
    pub fn sample(&mut self, now: Nanos, link: &mut Link) {
        if now < self.next {
            return;
        }
        let [there, back] = link.direction_counts().map(|(way, _)| way.queue_sample());
        self.rows.push((now, if self.direction == 0 { there } else { back }));
        let missed = (now - self.next) / self.every;
        self.next = self.next.saturating_add((missed + 1).saturating_mul(self.every));
    }

    /// Returns the samples so far: for each its time on the monotonic clock in nanoseconds, the
    /// packets that waited, and the packets and bytes sent, the packets dropped and the packets
    /// marked until then.
    pub fn samples(&self) -> Value {
        let rows = self.rows.iter().map(|(time, sample)| {
            let QueueSample { waiting, sent_packets, sent_bytes, dropped, marked } = sample;
            json!([time, waiting, sent_packets, sent_bytes, dropped, marked])
        });
        json!({ "samples": rows.collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use weir_ports::{Frame, Metadata, Offloads, memory};

    use crate::link::Link;
    use crate::links::Links;
    use crate::settings::{End, LinkSettings};

    #[test]
    fn samplers_count_what_waits_and_what_left() {
        let cable = |names| memory::connect(names, 64, Offloads::default()).unwrap().0;
        let ([first, mut far], [second, _far]) = (cable(["a", "h1"]), cable(["b", "h2"]));
        let ends = ["a", "b"].map(|name| End::new(name, None).unwrap());
        let mut link = Link::between(LinkSettings::new(Some("l".to_owned()), ends), [first, second]);
        let mut settings = link.settings.clone();
        settings.directions[0].rate = Some(1000);
        link.set_settings(settings);
        let mut links = Links::default();
        links.push(link);
        assert_eq!(links.next_sample(), None);

        let sample = r#"{"sample": {"name": "l", "direction": "a_to_b", "every": "1ms"}}"#;
        assert_eq!(links.command(sample), json!({"sampler": 0}));
        let back = r#"{"sample": {"name": "l", "direction": "b_to_a", "every": "1ms"}}"#;
        assert_eq!(links.command(back), json!({"sampler": 1}));
        // At 1000 bit/s, the first of three frames of 60 bytes leaves for half a second.
        let frames = [0; 3].map(|byte| Frame::copy_of(&[byte; 60], Metadata::default()));
        assert_eq!(far.transmit.transmit(&frames, &[0, 1, 2]).unwrap(), 3);
        links.get(0).unwrap().receive(0).unwrap();
        let due = links.next_sample().unwrap();
        links.sample(due - 1);
        links.sample(due + 2_500_000);
        assert_eq!(links.next_sample().unwrap() - due, 3_000_000, "samples that are late are left out");
        let rows = |links: &mut Links, number: u64| {
            let answer = links.command(&format!(r#"{{"samples": {number}}}"#));
            let rows = answer["samples"].as_array().unwrap().iter();
            rows.map(|row| row.as_array().unwrap()[1..].to_vec()).collect::<Vec<Vec<Value>>>()
        };
        assert_eq!(rows(&mut links, 0), [[2, 1, 60, 0, 0]], "waiting, sent, bytes, dropped, marked");
        assert_eq!(rows(&mut links, 1), [[0; 5]]);

        assert_eq!(links.command(r#"{"stop": 0}"#), json!({"ok": true}));
        assert_eq!(links.command(r#"{"remove": "l"}"#), json!({"ok": true}));
        links.sample(u64::MAX);
        assert_eq!((links.next_sample(), rows(&mut links, 1).len()), (None, 1));
    }

    #[test]
    fn wrong_samplers_are_explained() {
        let mut links = Links::default();
        for (command, expected) in [
            (r#"{"sample": {"name": "l", "direction": "a_to_b", "every": "1ms"}}"#, "no link called l"),
            (r#"{"sample": {"name": "l", "direction": "a", "every": "1ms"}}"#, "expected a_to_b or b_to_a"),
            (r#"{"sample": {"name": "l", "direction": "a_to_b", "every": "0s"}}"#, "between samples is 0"),
            (r#"{"sample": {}}"#, "missing key \"name\""),
            (r#"{"samples": 0}"#, "there is no sampler 0"),
            (r#"{"stop": "x"}"#, "a sampler's number"),
        ] {
            let answer = links.command(command)["error"].as_str().unwrap().to_owned();
            assert!(answer.contains(expected), "{command}: {answer}");
        }
    }
}
