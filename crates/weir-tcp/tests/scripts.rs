//! Scripts of segments for one end, similar to packetdrill. Each file in `testdata/tcp` is a case.
//!
//! A line is a time in seconds followed by what happens or is expected: `config NAME VALUE`
//! (without a time), `connect`, `accept SEGMENT`, `< SEGMENT` arrives, `<! SEGMENT` arrives with an
//! ECN mark, `> SEGMENT` was sent at that time, `write N`, `read N` (all there is), `take N`,
//! `close`, `release`, `abort`, `mss N`, `state NAME`, `event NAME`, `info NAME N`. A segment:
//! flags (`S A F R P E C`), `seq N ack N win N len N`, for sent ones `ect` or `noect`, and options
//! `<mss N, ws N, sackok, ts N N, sack L R ...>`. Numbers are relative to the initial numbers. The
//! parts of a sent segment that a line does not name are not compared.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use weir_tcp::{Algorithm, Config, Connection, Flags, Options, PseudoSum, Reduction, Segment, Seq};

const ISS: u32 = u32::MAX - 500;
const IRS: u32 = u32::MAX - 50;

#[derive(Default, Debug, Clone)]
struct Line {
    flags: u8,
    seq: Option<u32>,
    ack: Option<u32>,
    win: Option<u32>,
    len: Option<u32>,
    mss: Option<u32>,
    ws: Option<u32>,
    sackok: bool,
    ts: Option<(u32, u32)>,
    sack: Vec<(u32, u32)>,
    /// For a sent segment, whether its packet must be marked as ECN-capable.
    ect: Option<bool>,
}

impl Line {
    fn parse(text: &str) -> Result<Line, String> {
        let mut line = Line::default();
        let text = text.replace(['<', '>', ','], " ");
        let mut words = text.split_whitespace();
        for letter in words.next().ok_or("flags expected")?.chars() {
            line.flags |= match letter {
                'F' => 1,
                'S' => 2,
                'R' => 4,
                'P' => 8,
                'A' => 16,
                'E' => 64,
                'C' => 128,
                other => return Err(format!("flag {other}")),
            };
        }
        let words: Vec<&str> = words.collect();
        let number = |at: usize| -> Result<u32, String> {
            words
                .get(at)
                .and_then(|word| word.parse().ok())
                .ok_or(format!("a number behind {:?}", words.get(at - 1)))
        };
        let mut at = 0;
        while at < words.len() {
            match words[at] {
                "seq" => line.seq = Some(number(at + 1)?),
                "ack" => line.ack = Some(number(at + 1)?),
                "win" => line.win = Some(number(at + 1)?),
                "len" => line.len = Some(number(at + 1)?),
                "mss" => line.mss = Some(number(at + 1)?),
                "ws" => line.ws = Some(number(at + 1)?),
                "ts" => {
                    line.ts = Some((number(at + 1)?, number(at + 2)?));
                    at += 1;
                }
                "ect" | "noect" => {
                    line.ect = Some(words[at] == "ect");
                    at += 1;
                    continue;
                }
                "sackok" => {
                    line.sackok = true;
                    at += 1;
                    continue;
                }
                "sack" => {
                    while let (Ok(left), Ok(right)) = (number(at + 1), number(at + 2)) {
                        line.sack.push((left, right));
                        at += 2;
                    }
                    at += 1;
                    continue;
                }
                other => return Err(format!("what is {other}?")),
            }
            at += 2;
        }
        Ok(line)
    }

    fn segment<'a>(&self, payload: &'a [u8]) -> Segment<'a> {
        let mut options = Options {
            mss: self.mss.map(|mss| mss as u16),
            window_scale: self.ws.map(|shift| shift as u8),
            sack_permitted: self.sackok,
            timestamps: self.ts,
            sack_blocks: self.sack.len() as u8,
            ..Options::default()
        };
        for (place, (left, right)) in options.sack.iter_mut().zip(&self.sack) {
            *place = (Seq(ISS.wrapping_add(*left)), Seq(ISS.wrapping_add(*right)));
        }
        Segment {
            source: 80,
            destination: 4000,
            seq: Seq(IRS.wrapping_add(self.seq.unwrap_or(0))),
            ack: Seq(ISS.wrapping_add(self.ack.unwrap_or(0))),
            flags: Flags(self.flags),
            window: self.win.unwrap_or(65535) as u16,
            urgent: 0,
            options,
            payload: &payload[..self.len.unwrap_or(0) as usize],
        }
    }

    fn of(segment: &Segment<'_>, ect: bool) -> Line {
        let reset = segment.flags.contains(Flags::RST) && !segment.flags.contains(Flags::ACK);
        Line {
            ect: Some(ect),
            flags: segment.flags.0,
            seq: Some(segment.seq.0.wrapping_sub(ISS)),
            ack: (segment.flags.contains(Flags::ACK) && !reset).then(|| segment.ack.0.wrapping_sub(IRS)),
            win: Some(u32::from(segment.window)),
            len: Some(segment.payload.len() as u32),
            mss: segment.options.mss.map(u32::from),
            ws: segment.options.window_scale.map(u32::from),
            sackok: segment.options.sack_permitted,
            ts: segment.options.timestamps,
            sack: segment
                .options
                .sack()
                .iter()
                .map(|(left, right)| (left.0.wrapping_sub(IRS), right.0.wrapping_sub(IRS)))
                .collect(),
        }
    }

    fn agrees(&self, left: &Line) -> bool {
        let same = |wanted: Option<u32>, got: Option<u32>| wanted.is_none() || wanted == got;
        self.flags & !8 == left.flags & !8
            && same(self.seq, left.seq)
            && same(self.ack, left.ack)
            && same(self.win, left.win)
            && self.len.unwrap_or(0) == left.len.unwrap_or(0)
            && same(self.mss, left.mss)
            && same(self.ws, left.ws)
            && (!self.sackok || left.sackok)
            && (self.ts.is_none() || self.ts == left.ts)
            && (self.ect.is_none() || self.ect == left.ect)
            && self.sack == left.sack
    }
}

struct Run {
    now: u64,
    config: Config,
    end: Option<Connection>,
    left: VecDeque<(u64, Line)>,
}

impl Run {
    fn send_segments(&mut self) {
        let Some(end) = &mut self.end else { return };
        while let Some(outgoing) = end.next_segment(self.now) {
            let mut bytes = vec![0; outgoing.len as usize];
            end.emit(&outgoing, PseudoSum(9), &mut bytes);
            end.on_departed(outgoing.len);
            let segment = Segment::parse(&bytes, PseudoSum(9)).expect("what is written is whole");
            self.left.push_back((self.now, Line::of(&segment, outgoing.ect)));
        }
    }

    fn run_until(&mut self, time: u64) {
        for _ in 0..100_000 {
            let Some(due) = self.end.as_ref().and_then(Connection::next_deadline).filter(|due| *due <= time)
            else {
                break;
            };
            self.now = self.now.max(due);
            if let Some(end) = &mut self.end {
                end.on_timer(self.now);
            }
            self.send_segments();
        }
        self.now = time;
    }

    fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        let on = value == "on";
        let number = || value.parse::<u32>().map_err(|error| format!("{value}: {error}"));
        match name {
            "sack" => self.config.sack = on,
            "timestamps" => self.config.timestamps = on,
            "window_scaling" => self.config.window_scaling = on,
            "ecn" => self.config.ecn = on,
            "rack" => self.config.rack = on,
            "nagle" => self.config.nagle = on,
            "minshall" => self.config.minshall = on,
            "mss" => self.config.mss = number()? as u16,
            "receive_buffer" => self.config.receive_buffer = number()?,
            "tail_loss_probe" => self.config.tail_loss_probe = on,
            "quick_acks" => self.config.quick_acks = number()?,
            "ack_on_read" => self.config.ack_on_read = on,
            "reduction" => {
                self.config.reduction = if value == "rfc6675" {
                    Reduction::Rfc6675
                } else {
                    return Err(format!("no reduction {value}"));
                };
            }
            "data_retries" => self.config.data_retries = number()?,
            "min_variation" => self.config.min_variation = u64::from(number()?) * 1_000_000,
            "initial_window" => self.config.initial_window_segments = number()?,
            other => return Err(format!("no setting {other}")),
        }
        Ok(())
    }

    fn run_line(&mut self, text: &str) -> Result<(), String> {
        if let Some(rest) = text.strip_prefix("config ") {
            let (name, value) = rest.split_once(' ').ok_or("a value expected")?;
            return self.configure(name, value);
        }
        let (time, rest) = text.split_once(' ').ok_or("a time and what happens")?;
        let seconds: f64 = time.parse().map_err(|error| format!("{time}: {error}"))?;
        self.run_until((seconds * 1e6).round() as u64 * 1000);
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let payload = vec![0x55; 70_000];
        if verb == ">" {
            let expected = Line::parse(rest)?;
            let (time, got) = self.left.pop_front().ok_or("nothing left")?;
            if time != self.now || !expected.agrees(&got) {
                return Err(format!("instead, at {} s: {got:?}", time as f64 / 1e9));
            }
            return Ok(());
        }
        if verb == "connect" {
            self.end = Some(Connection::connect(self.now, self.config.clone(), (4000, 80), ISS, 0));
        } else if verb == "accept" {
            let syn = Line::parse(rest)?;
            self.end = Some(Connection::accept(
                self.now,
                self.config.clone(),
                &syn.segment(&payload),
                ISS,
                0,
                false,
            ));
        } else {
            let now = self.now;
            let end = self.end.as_mut().ok_or("no connection yet")?;
            let number = || rest.parse::<u64>().map_err(|error| format!("{rest}: {error}"));
            match verb {
                "<" | "<!" => end.on_segment(now, &Line::parse(rest)?.segment(&payload), verb == "<!"),
                "write" => {
                    end.write_pattern(number()?);
                }
                "read" => {
                    let got = end.read(&mut vec![0; 100_000]) as u64;
                    if got != number()? {
                        return Err(format!("read {got}"));
                    }
                }
                "take" => {
                    let got = end.read(&mut vec![0; number()? as usize]) as u64;
                    if got != number()? {
                        return Err(format!("took {got}"));
                    }
                }
                "close" => end.close(),
                "release" => end.release(now),
                "abort" => end.abort(),
                "mss" => end.set_mss(number()? as u16),
                "state" => {
                    if format!("{:?}", end.state()) != rest {
                        return Err(format!("is {:?}", end.state()));
                    }
                }
                "event" => {
                    let got = format!("{:?}", end.next_event());
                    if got != rest && got != format!("Some({rest})") {
                        return Err(format!("is {got}"));
                    }
                }
                "info" => {
                    let (name, expected) = rest.split_once(' ').ok_or("a figure expected")?;
                    let info = format!("{:?}", end.info()).replace(" }", ",");
                    if !info.contains(&format!("{name}: {expected},")) {
                        return Err(info);
                    }
                }
                other => return Err(format!("no verb {other}")),
            }
        }
        self.send_segments();
        Ok(())
    }
}

fn run(text: &str) -> Result<(), String> {
    let config = Config {
        congestion: Algorithm::Reno,
        timestamps: false,
        window_scaling: false,
        tail_loss_probe: false,
        min_variation: 0,
        minshall: false,
        ..Config::default()
    };
    let mut run = Run { now: 0, config, end: None, left: VecDeque::new() };
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            run.run_line(line).map_err(|error| format!("line {}: `{line}`: {error}", at + 1))?;
        }
    }
    match run.left.pop_front() {
        None => Ok(()),
        Some((time, left)) => Err(format!("nobody expected, at {} s: {left:?}", time as f64 / 1e9)),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the cases are files")]
fn every_script_of_testdata() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tcp");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut failed = Vec::new();
    for file in &files {
        if let Err(error) = run(&fs::read_to_string(file).unwrap()) {
            failed.push(format!("{}: {error}", file.file_name().unwrap().display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(files.len() >= 10, "the cases are gone");
}

#[test]
fn a_wrong_expectation_is_seen() {
    assert!(run("0.0 connect\n0.0 > S seq 1").unwrap_err().contains("instead"));
    assert!(run("0.0 connect").unwrap_err().contains("nobody expected"));
    assert!(run("0.0 connect\n0.0 > S seq 0\n0.5 > S seq 0").unwrap_err().contains("nothing left"));
}
