// Every type, constant, extern and method of version 0.7 of the Portable NIC Architecture.
// `tests/architectures.rs` of weir-compiler checks that nothing is missing.
#include <bmv2/pna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

// Between NIC and host.
header to_host_t {
    PortIdInHeader_t port;
    InterfaceIdInHeader_t interface;
    MulticastGroupInHeader_t group;
    MirrorSessionIdInHeader_t session;
    MirrorSlotIdInHeader_t slot;
    ClassOfServiceInHeader_t class;
    PacketLengthInHeader_t length;
    MulticastInstanceInHeader_t instance;
    TimestampInHeader_t time;
    FlowIdInHeader_t flow;
    ExpireTimeProfileIdInHeader_t expiry;
    PassNumberInHeader_t pass;
    SecurityAssocIdInHeader_t association;
}

header ipv4_t {
    bit<64> first;
    bit<16> ttl_protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    to_host_t to_host;
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct numbers_t {
    PortId_t port;
    InterfaceId_t interface;
    MulticastGroup_t group;
    MirrorSessionId_t session;
    MirrorSlotId_t slot;
    ClassOfService_t class;
    PacketLength_t length;
    MulticastInstance_t instance;
    Timestamp_t time;
    FlowId_t flow;
    ExpireTimeProfileId_t expiry;
    PassNumber_t pass;
    SecurityAssocId_t association;
}

struct meta_t {
    numbers_t numbers;
    bit<16> sum;
    PNA_MeterColor_t colour;
    ParserError_t error_of_parser;
}

struct report_t {
    PortId_t port;
    bit<48> source;
}

// The widths of the numbers, inside the device and in headers.
struct widths_t {
    PortIdUint_t port;
    InterfaceIdUint_t interface;
    MulticastGroupUint_t group;
    MirrorSessionIdUint_t session;
    MirrorSlotIdUint_t slot;
    ClassOfServiceUint_t class;
    PacketLengthUint_t length;
    MulticastInstanceUint_t instance;
    TimestampUint_t time;
    FlowIdUint_t flow;
    ExpireTimeProfileIdUint_t expiry;
    PassNumberUint_t pass;
    SecurityAssocIdUint_t association;
    PortIdInHeaderUint_t port_in_header;
    InterfaceIdInHeaderUint_t interface_in_header;
    MulticastGroupInHeaderUint_t group_in_header;
    MirrorSessionIdInHeaderUint_t session_in_header;
    MirrorSlotIdInHeaderUint_t slot_in_header;
    ClassOfServiceInHeaderUint_t class_in_header;
    PacketLengthInHeaderUint_t length_in_header;
    MulticastInstanceInHeaderUint_t instance_in_header;
    TimestampInHeaderUint_t time_in_header;
    FlowIdInHeaderUint_t flow_in_header;
    ExpireTimeProfileIdInHeaderUint_t expiry_in_header;
    PassNumberInHeaderUint_t pass_in_header;
    SecurityAssocIdInHeaderUint_t association_in_header;
}

bool fits(in widths_t widths) {
    return widths.port == widths.port_in_header && widths.flow == widths.flow_in_header;
}

void write_numbers(inout headers_t headers, in numbers_t numbers) {
    headers.to_host.port = pna_PortId_int_to_header(numbers.port);
    headers.to_host.interface = pna_InterfaceId_int_to_header(numbers.interface);
    headers.to_host.group = pna_MulticastGroup_int_to_header(numbers.group);
    headers.to_host.session = pna_MirrorSessionId_int_to_header(numbers.session);
    headers.to_host.slot = pna_MirrorSlotId_int_to_header(numbers.slot);
    headers.to_host.class = pna_ClassOfService_int_to_header(numbers.class);
    headers.to_host.length = pna_PacketLength_int_to_header(numbers.length);
    headers.to_host.instance = pna_MulticastInstance_int_to_header(numbers.instance);
    headers.to_host.time = pna_Timestamp_int_to_header(numbers.time);
    headers.to_host.flow = pna_FlowId_int_to_header(numbers.flow);
    headers.to_host.expiry = pna_ExpireTimeProfileId_int_to_header(numbers.expiry);
    headers.to_host.pass = pna_PassNumber_int_to_header(numbers.pass);
    headers.to_host.association = pna_SecurityAssocId_int_to_header(numbers.association);
}

void read_numbers(in headers_t headers, inout numbers_t numbers) {
    numbers.port = pna_PortId_header_to_int(headers.to_host.port);
    numbers.interface = pna_InterfaceId_header_to_int(headers.to_host.interface);
    numbers.group = pna_MulticastGroup_header_to_int(headers.to_host.group);
    numbers.session = pna_MirrorSessionId_header_to_int(headers.to_host.session);
    numbers.slot = pna_MirrorSlotId_header_to_int(headers.to_host.slot);
    numbers.class = pna_ClassOfService_header_to_int(headers.to_host.class);
    numbers.length = pna_PacketLength_header_to_int(headers.to_host.length);
    numbers.instance = pna_MulticastInstance_header_to_int(headers.to_host.instance);
    numbers.time = pna_Timestamp_header_to_int(headers.to_host.time);
    numbers.flow = pna_FlowId_header_to_int(headers.to_host.flow);
    numbers.expiry = pna_ExpireTimeProfileId_header_to_int(headers.to_host.expiry);
    numbers.pass = pna_PassNumber_header_to_int(headers.to_host.pass);
    numbers.association = pna_SecurityAssocId_header_to_int(headers.to_host.association);
}

parser Receive(packet_in packet,
               out headers_t headers,
               inout meta_t meta,
               in pna_main_parser_input_metadata_t input) {
    Checksum<bit<16>>(PNA_HashAlgorithm_t.CRC16_CUSTOM) crc;
    InternetChecksum() sum;
    state start {
        transition select(input.recirculated, is_host_port(input.input_port)) {
            (false, true): host;
            default: ethernet;
        }
    }
    state host {
        packet.extract(headers.to_host);
        transition ethernet;
    }
    state ethernet {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.kind) {
            0x800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        crc.clear();
        crc.update(headers.ipv4.first);
        meta.sum = crc.get();
        sum.clear();
        sum.add({ headers.ipv4.first, headers.ipv4.ttl_protocol });
        sum.subtract(headers.ipv4.destination);
        meta.sum = meta.sum ^ sum.get_state();
        sum.set_state(meta.sum);
        verify(sum.get() == headers.ipv4.checksum, error.NoMatch);
        transition accept;
    }
}

control Forward(inout headers_t headers,
                inout meta_t meta,
                in pna_main_input_metadata_t input,
                inout pna_main_output_metadata_t output) {
    DirectCounter<bit<64>>(PNA_CounterType_t.PACKETS_AND_BYTES) hits;
    Counter<bit<64>, PortId_t>(32, PNA_CounterType_t.PACKETS) packets;
    Counter<bit<64>, PortId_t>(32, PNA_CounterType_t.BYTES) bytes;
    Meter<PortId_t>(32, PNA_MeterType_t.PACKETS) rate;
    DirectMeter(PNA_MeterType_t.BYTES) rates;
    Register<bit<48>, PortId_t>(32) last;
    Register<bit<16>, bit<8>>(256, 7) sums;
    Random<bit<16>>(1, 100) dice;
    Hash<bit<16>>(PNA_HashAlgorithm_t.IDENTITY) same;
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32) crc32;
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32_CUSTOM) crc32_custom;
    Hash<bit<16>>(PNA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<16>>(PNA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    ActionProfile(64) profile;
    ActionSelector(PNA_HashAlgorithm_t.TARGET_DEFAULT, 64, 16) selector_of_ports;
    PNA_Source_t source;
    AddEntryErrorStatus_t added = ADD_ENTRY_NOT_DONE;

    action forward(PortId_t port) {
        hits.count();
        meta.colour = rates.execute();
        send_to_port(port);
        restart_expire_timer();
    }
    action measure() {
        hits.count();
        meta.colour = rates.execute(PNA_MeterColor_t.YELLOW);
        set_entry_expire_time((ExpireTimeProfileId_t)1);
        set_entry_expire_time_if(input.recirculated, (ExpireTimeProfileId_t)2);
        update_expire_info(true, input.recirculated, (ExpireTimeProfileId_t)3);
    }
    action drop() {
        drop_packet();
    }
    action learn() {
        meta.numbers.flow = allocate_flow_id();
        added = add_entry("forward", { (PortId_t)1 }, meta.numbers.expiry);
        added = add_entry_if(added != ADD_ENTRY_SUCCESS, "forward", { (PortId_t)1 }, meta.numbers.expiry);
    }
    table destinations {
        key = {
            headers.ethernet.destination: exact;
        }
        actions = { forward; measure; @defaultonly learn; }
        const default_action = learn();
        add_on_miss = true;
        pna_direct_counter = hits;
        pna_direct_meter = rates;
        pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;
    }
    table learned {
        key = {
            headers.ethernet.source: exact;
        }
        actions = { NoAction; }
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
    }
    table kinds {
        key = {
            headers.ethernet.kind: range;
            headers.ethernet.source: optional;
        }
        actions = { NoAction; drop; }
        pna_idle_timeout = PNA_IdleTimeout_t.NO_TIMEOUT;
    }
    table members {
        key = {
            headers.ethernet.destination: ternary;
        }
        actions = { forward; drop; }
        pna_implementation = profile;
    }
    table groups {
        key = {
            headers.ethernet.destination: lpm;
            headers.ethernet.source: selector;
        }
        actions = { forward; drop; }
        pna_implementation = selector_of_ports;
    }
    apply {
        packets.count(input.input_port);
        bytes.count(input.input_port);
        if (rate.execute(input.input_port) != PNA_MeterColor_t.GREEN
            || rate.execute(input.input_port, PNA_MeterColor_t.GREEN) == PNA_MeterColor_t.RED) {
            drop();
        }
        meta.sum = same.get_hash(headers.ethernet.kind)
                   ^ crc32.get_hash({ headers.ethernet.source })[15:0]
                   ^ crc32_custom.get_hash(headers.ethernet.source)[31:16]
                   ^ crc16.get_hash(16w10, headers.ethernet.source, 16w1000)
                   ^ ones.get_hash({ headers.ethernet.source, headers.ethernet.destination });
        last.write(input.input_port, last.read(input.input_port) + 1);
        sums.write(3, sums.read(3) + dice.read());
        destinations.apply();
        learned.apply();
        kinds.apply();
        members.apply();
        groups.apply();
        if (added != ADD_ENTRY_SUCCESS) {
            mirror_packet((MirrorSlotId_t)0, PNA_MIRROR_SESSION_TO_CPU);
        }
        bit<48> address = SelectByDirection(
            is_net_port(input.input_port), headers.ethernet.source, headers.ethernet.destination);
        source = is_net_port(input.input_port) ? PNA_Source_t.FROM_NET : PNA_Source_t.FROM_HOST;
        if (address == 1 && source == PNA_Source_t.FROM_HOST) {
            output.class_of_service = input.class_of_service;
        }
        widths_t widths = { ... };
        if (meta.numbers.interface == PNA_PORT_CPU && fits(widths)) {
            meta.numbers.time = input.timestamp;
            headers.to_host.setValid();
            write_numbers(headers, meta.numbers);
        } else if (headers.to_host.isValid()) {
            read_numbers(headers, meta.numbers);
        }
        meta.error_of_parser = input.parser_error;
    }
}

control Close(packet_out packet, inout headers_t headers, in meta_t meta, in pna_main_output_metadata_t output) {
    Digest<report_t>() reports;
    apply {
        if (meta.colour == PNA_MeterColor_t.RED && output.class_of_service == (ClassOfService_t)0) {
            reports.pack({ meta.numbers.port, headers.ethernet.source });
        }
        packet.emit(headers);
    }
}

PNA_NIC(Receive(), Forward(), Close()) main;
