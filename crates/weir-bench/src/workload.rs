//! Packets for a program: copies of a template whose key fields are chosen from the switch's
//! entries, flow by flow.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::Port;
use weir_exec::{Environment, Event, Executor, Fault, Lookup, Value};
use weir_ir::{ActionCall, Bits, ExprKind, ExternCall, HeaderId, Package, State, VarId};
use weir_ir::{TableId, ValueSetId};
use weir_switch::control::{Control, Match};

/// The size and the headers of the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The packet that all flows are copied from; see [`Shape::udp`].
    pub template: Vec<u8>,
    /// The number of different packets.
    pub flows: usize,
    /// The ports that they arrive on, in turn.
    pub ports: Vec<Port>,
    /// The seed of the random choices.
    pub seed: u64,
}

impl Shape {
    /// Makes an Ethernet frame with IPv4 and UDP of `size` bytes (at least 42, without frame check
    /// sequence) that arrives on port 0.
    pub fn udp(size: usize, flows: usize) -> Self {
        let size = size.max(42);
        let mut template = vec![
            0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0, // Ethernet
            0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
            0x30, 0x39, 0, 53, 0, 0, 0, 0, // UDP without checksum
        ];
        template.resize(size, 0);
        template[16..18].copy_from_slice(&((size - 14) as u16).to_be_bytes());
        template[38..40].copy_from_slice(&((size - 34) as u16).to_be_bytes());
        Self { template, flows, ports: vec![0], seed: 1 }
    }
}

/// The packets that a benchmark sends, and the ports that they arrive on.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The packets' bytes, one packet after the other.
    bytes: Vec<u8>,
    length: usize,
    ports: Vec<Port>,
    /// The key fields that were found in the template, by the names of their variables.
    pub varied: Vec<String>,
}

impl Workload {
    /// Packets of `length` bytes each, one after the other, which arrive on these ports in turn.
    ///
    /// # Panics
    /// If `bytes` does not contain one or more whole packets, or there is no port.
    pub fn new(bytes: Vec<u8>, length: usize, ports: Vec<Port>) -> Self {
        assert!(!bytes.is_empty() && bytes.len().is_multiple_of(length) && !ports.is_empty());
        Self { bytes, length, ports, varied: Vec::new() }
    }

    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.length
    }

    /// Returns whether there are no packets.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the length of the longest packet in bytes.
    pub fn longest_packet(&self) -> usize {
        self.length
    }

    /// Returns the packet at this position, and the port that it arrives on.
    pub fn packet(&self, position: usize) -> (Port, &[u8]) {
        let start = position * self.length;
        (self.ports[position % self.ports.len()], &self.bytes[start..start + self.length])
    }
}

/// The position of a header field in the template.
struct FieldPlace {
    var: VarId,
    /// The number of bits from the start of the packet.
    offset: usize,
    width: u32,
}

/// Generates the packets. Each is a copy of the template in which the fields that tables match on
/// are set to a value that a randomly chosen entry of each table accepts, table by table in the
/// program's order; bits that the entry does not look at are random. A field keeps the template's
/// value if the entry accepts any value for it, or if the parser does not extract it from the
/// template. The checksums of IPv4 headers without options are corrected.
pub fn workload(executor: &dyn Executor, control: &Control<'_>, shape: &Shape) -> Workload {
    let random = &mut Pcg64Mcg::new(u128::from(shape.seed) << 1 | 1);
    let program = executor.program();
    let (places, ipv4) = field_places(executor, &shape.template);
    // For each table: where its keys are in the packet, and for each entry what its keys accept.
    let mut tables = Vec::new();
    let mut varied = Vec::new();
    for (id, table) in program.tables.iter() {
        let keys: Vec<Option<&FieldPlace>> = table
            .keys
            .iter()
            .map(|key| match key.expr.kind {
                ExprKind::Var(var) => places.iter().find(|place| place.var == var),
                _ => None,
            })
            .collect();
        let entries: Vec<Vec<Match>> =
            control.entries(id).unwrap_or_default().into_iter().map(|entry| entry.entry.matches).collect();
        let drawn = keys.iter().enumerate().filter_map(|(at, place)| {
            let place =
                place.filter(|place| entries.iter().any(|entry| !is_open(&entry[at], place.width)))?;
            Some(program.vars[place.var].name.clone())
        });
        let before = varied.len();
        varied.extend(drawn);
        if varied.len() > before {
            tables.push((keys, entries));
        }
    }
    varied.sort();
    varied.dedup();
    let length = shape.template.len();
    let mut bytes = Vec::with_capacity(length * shape.flows.max(1));
    for _ in 0..shape.flows.max(1) {
        let start = bytes.len();
        bytes.extend_from_slice(&shape.template);
        let packet = &mut bytes[start..];
        for (keys, entries) in &tables {
            let entry = &entries[(random.next_u64() % entries.len() as u64) as usize];
            for (key, accepts) in keys.iter().zip(entry) {
                if let Some(place) = key.filter(|place| !is_open(accepts, place.width)) {
                    write_bits(packet, place, &accepted_value(accepts, place.width, random));
                }
            }
        }
        for offset in &ipv4 {
            checksum(&mut packet[*offset..offset + 20]);
        }
    }
    Workload { bytes, length, ports: shape.ports.clone(), varied }
}

fn random_bits(width: u32, random: &mut Pcg64Mcg) -> Bits {
    let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.next_u64()).collect();
    Bits::from_words(width, &words)
}

/// Returns whether a key of `width` bits may have any value.
fn is_open(accepts: &Match, width: u32) -> bool {
    match accepts {
        Match::Exact(_) => false,
        Match::Lpm(_, length) => *length == 0,
        Match::Ternary(_, mask) => mask.is_zero(),
        Match::Range(low, high) => low.is_zero() && high.resize(width) == Bits::ones(width),
        Match::Any => true,
    }
}

/// Returns a value of `width` bits that the key accepts.
fn accepted_value(accepts: &Match, width: u32, random: &mut Pcg64Mcg) -> Bits {
    let free = random_bits(width, random);
    let under = |value: &Bits, mask: Bits| {
        let value = value.resize(width);
        value.and(&mask).or(&free.and(&mask.not()))
    };
    match accepts {
        Match::Exact(value) => value.resize(width),
        Match::Lpm(value, length) => {
            under(value, Bits::ones(width).shl(u64::from(width - (*length).min(width))))
        }
        Match::Ternary(value, mask) => under(value, mask.resize(width)),
        Match::Range(low, high) => {
            let (low, high) = (low.resize(width), high.resize(width));
            let span = high.sub(&low).add(&Bits::new(width, 1));
            if span.is_zero() { free } else { low.add(&free.rem(&span)) }
        }
        Match::Any => free,
    }
}

fn write_bits(packet: &mut [u8], place: &FieldPlace, value: &Bits) {
    for bit in 0..place.width as usize {
        let position = place.offset + bit;
        let Some(byte) = packet.get_mut(position / 8) else { return };
        let mask = 0x80 >> (position % 8);
        if value.bit(place.width - 1 - bit as u32) { *byte |= mask } else { *byte &= !mask }
    }
}

/// Computes the checksum of an IPv4 header of 20 bytes and stores it.
pub(crate) fn checksum(header: &mut [u8]) {
    header[10..12].fill(0);
    let mut sum: u32 = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    header[10..12].copy_from_slice(&(!sum as u16).to_be_bytes());
}

/// Returns the fields of the headers that the program's parser extracts from the template, if these
/// follow each other without gaps, and the offsets of IPv4 headers of 20 bytes: headers of 160 bits
/// that start with 4 and 5.
fn field_places(executor: &dyn Executor, template: &[u8]) -> (Vec<FieldPlace>, Vec<usize>) {
    let program = executor.program();
    let (mut places, mut ipv4, mut offset) = (Vec::new(), Vec::new(), 0);
    let Some(parser) = program.main.as_ref().and_then(Package::first_parser) else { return (places, ipv4) };
    let mut recorder = HeaderRecorder::default();
    let mut state = executor.layout().state();
    let parsed = executor.parse(parser, template, &mut state, &mut recorder);
    for header in recorder.extracted {
        let start = offset;
        for field in &program.headers[header].fields {
            let width = executor.layout().get(&state, *field).width();
            places.push(FieldPlace { var: *field, offset, width });
            offset += width as usize;
        }
        if offset - start == 160 && start % 8 == 0 && template.get(start / 8) == Some(&0x45) {
            ipv4.push(start / 8);
        }
    }
    // The parser skipped something: the positions of the fields are not known.
    if offset.div_ceil(8) != parsed.consumed {
        return (Vec::new(), Vec::new());
    }
    (places, ipv4)
}

/// An environment without tables that records which headers a parser extracts.
#[derive(Default)]
struct HeaderRecorder {
    extracted: Vec<HeaderId>,
}

impl Environment for HeaderRecorder {
    fn lookup(&mut self, _: TableId, _: &[Bits]) -> Lookup {
        let call = ActionCall { action: weir_ir::Id::new(0), args: Vec::new() };
        Lookup { hit: false, call: std::sync::Arc::new(call), entry: None }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        false
    }

    fn call(
        &mut self,
        call: &ExternCall,
        _: &mut [Value],
        executor: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let width = |var: &VarId| executor.program().vars[*var].ty.width();
        Ok(call.result.iter().map(|var| Bits::zero(width(var))).collect())
    }

    fn tracing(&self) -> bool {
        true
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Extracted(header, ..) = event {
            self.extracted.push(header);
        }
    }
}
