// Every type, constant, action, function, extern and method of `psa.p4`.
// `tests/architectures.rs` of weir-compiler checks that nothing is missing.
#include <psa.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

// Between data plane and control plane.
header to_controller_t {
    PortIdInHeader_t port;
    MulticastGroupInHeader_t group;
    CloneSessionIdInHeader_t session;
    ClassOfServiceInHeader_t class;
    PacketLengthInHeader_t length;
    EgressInstanceInHeader_t instance;
    TimestampInHeader_t time;
}

header ipv4_t {
    bit<64> first;
    bit<16> ttl_protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    to_controller_t to_controller;
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct meta_t {
    bit<16> sum;
    PSA_MeterColor_t colour;
    ParserError_t error_of_parser;
    Timestamp_t arrival;
    CloneSessionId_t session;
    EgressInstance_t instance;
}

struct report_t {
    PortId_t port;
    bit<48> source;
}

struct empty_t {
}

// The widths of the numbers, inside the device and in headers.
struct widths_t {
    PortIdUint_t port;
    MulticastGroupUint_t group;
    CloneSessionIdUint_t session;
    ClassOfServiceUint_t class;
    PacketLengthUint_t length;
    EgressInstanceUint_t instance;
    TimestampUint_t time;
    PortIdInHeaderUint_t port_in_header;
    MulticastGroupInHeaderUint_t group_in_header;
    CloneSessionIdInHeaderUint_t session_in_header;
    ClassOfServiceInHeaderUint_t class_in_header;
    PacketLengthInHeaderUint_t length_in_header;
    EgressInstanceInHeaderUint_t instance_in_header;
    TimestampInHeaderUint_t time_in_header;
}

const widths_t LARGEST = {
    0xffffffff, 0xffffffff, 0xffff, 0xff, 0xffff, 0xffff, 0xffffffffffffffff,
    0xffffffff, 0xffffffff, 0xffff, 0xff, 0xffff, 0xffff, 0xffffffffffffffff
};

parser Receive(packet_in buffer,
               out headers_t headers,
               inout meta_t meta,
               in psa_ingress_parser_input_metadata_t input,
               in empty_t resubmitted,
               in empty_t recirculated) {
    Checksum<bit<16>>(PSA_HashAlgorithm_t.CRC16_CUSTOM) crc;
    InternetChecksum() sum;
    state start {
        transition select(input.packet_path, input.ingress_port) {
            (PSA_PacketPath_t.NORMAL, PSA_PORT_CPU): controller;
            (PSA_PacketPath_t.RESUBMIT, _): ethernet;
            (PSA_PacketPath_t.RECIRCULATE, PSA_PORT_RECIRCULATE): ethernet;
            default: ethernet;
        }
    }
    state controller {
        buffer.extract(headers.to_controller);
        transition ethernet;
    }
    state ethernet {
        buffer.extract(headers.ethernet);
        transition select(headers.ethernet.kind) {
            0x800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        buffer.extract(headers.ipv4);
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
                in psa_ingress_input_metadata_t input,
                inout psa_ingress_output_metadata_t output) {
    Counter<bit<64>, PortId_t>(32, PSA_CounterType_t.PACKETS) packets;
    DirectCounter<bit<64>>(PSA_CounterType_t.PACKETS_AND_BYTES) hits;
    Meter<PortId_t>(32, PSA_MeterType_t.PACKETS) rate;
    DirectMeter(PSA_MeterType_t.BYTES) rates;
    Register<bit<48>, PortId_t>(32) last;
    Register<bit<16>, bit<8>>(256, 7) sums;
    Random<bit<16>>(1, 100) dice;
    Hash<bit<16>>(PSA_HashAlgorithm_t.IDENTITY) same;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32_CUSTOM) crc32_custom;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    ActionProfile(64) profile;
    ActionSelector(PSA_HashAlgorithm_t.TARGET_DEFAULT, 64, 16) selector_of_ports;

    action forward(PortId_t port) {
        hits.count();
        meta.colour = rates.execute();
        send_to_port(output, port);
    }
    action flood(MulticastGroup_t group) {
        hits.count();
        meta.colour = rates.execute(PSA_MeterColor_t.YELLOW);
        multicast(output, group);
    }
    action drop() {
        ingress_drop(output);
    }
    table destinations {
        key = {
            headers.ethernet.destination: exact;
        }
        actions = { forward; flood; @defaultonly drop; }
        default_action = drop;
        psa_direct_counter = hits;
        psa_direct_meter = rates;
        psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
    }
    table kinds {
        key = {
            headers.ethernet.kind: range;
            headers.ethernet.source: optional;
        }
        actions = { NoAction; drop; }
        psa_idle_timeout = PSA_IdleTimeout_t.NO_TIMEOUT;
    }
    table members {
        key = {
            headers.ethernet.destination: ternary;
        }
        actions = { forward; drop; }
        psa_implementation = profile;
    }
    table groups {
        key = {
            headers.ethernet.destination: lpm;
            headers.ethernet.source: selector;
        }
        actions = { forward; drop; }
        psa_implementation = selector_of_ports;
    }
    apply {
        packets.count(input.ingress_port);
        if (rate.execute(input.ingress_port) != PSA_MeterColor_t.GREEN
            || rate.execute(input.ingress_port, PSA_MeterColor_t.GREEN) == PSA_MeterColor_t.RED) {
            drop();
            exit;
        }
        assert(input.parser_error == error.NoError);
        assume(last.read(input.ingress_port) != headers.ethernet.source);
        last.write(input.ingress_port, headers.ethernet.source);
        sums.write(3, sums.read(3) + dice.read());
        meta.sum = same.get_hash(headers.ethernet.kind)
                   ^ crc32.get_hash({ headers.ethernet.source })[15:0]
                   ^ crc32_custom.get_hash(headers.ethernet.source)[31:16]
                   ^ crc16.get_hash(16w10, headers.ethernet.source, 16w1000)
                   ^ ones.get_hash({ headers.ethernet.source, headers.ethernet.destination });
        if (input.packet_path == PSA_PacketPath_t.NORMAL && !headers.to_controller.isValid()) {
            output.resubmit = (bit<64>)(TimestampUint_t)input.ingress_timestamp == LARGEST.time;
            output.clone = true;
            output.clone_session_id = PSA_CLONE_SESSION_TO_CPU;
            output.class_of_service = (ClassOfService_t)3;
        }
        destinations.apply();
        kinds.apply();
        members.apply();
        groups.apply();
        if (output.drop || (PortIdUint_t)output.egress_port == LARGEST.port) {
            output.multicast_group = (MulticastGroup_t)0;
        }
        meta.error_of_parser = input.parser_error;
        meta.arrival = input.ingress_timestamp;
        meta.session = PSA_CLONE_SESSION_TO_CPU;
    }
}

control CloseIngress(packet_out buffer,
                     out empty_t clone_meta,
                     out empty_t resubmit_meta,
                     out empty_t normal_meta,
                     inout headers_t headers,
                     in meta_t meta,
                     in psa_ingress_output_metadata_t output) {
    Digest<report_t>() reports;
    apply {
        if (psa_clone_i2e(output) || psa_resubmit(output)) {
            reports.pack({ output.egress_port, headers.ethernet.source });
        }
        if (psa_normal(output)) {
            headers.ipv4.checksum = meta.sum;
        }
        buffer.emit(headers);
    }
}

parser Reopen(packet_in buffer,
              out headers_t headers,
              inout meta_t meta,
              in psa_egress_parser_input_metadata_t input,
              in empty_t normal_meta,
              in empty_t clone_i2e_meta,
              in empty_t clone_e2e_meta) {
    state start {
        buffer.extract(headers.ethernet);
        transition select(input.packet_path, input.egress_port) {
            (PSA_PacketPath_t.NORMAL_UNICAST, PSA_PORT_CPU): accept;
            (PSA_PacketPath_t.NORMAL_MULTICAST, _): accept;
            (PSA_PacketPath_t.CLONE_I2E, _): accept;
            (PSA_PacketPath_t.CLONE_E2E, _): accept;
            default: accept;
        }
    }
}

control Send(inout headers_t headers,
             inout meta_t meta,
             in psa_egress_input_metadata_t input,
             inout psa_egress_output_metadata_t output) {
    Counter<bit<32>, bit<8>>(256, PSA_CounterType_t.BYTES) bytes;
    apply {
        bytes.count((bit<8>)(ClassOfServiceUint_t)input.class_of_service);
        meta.instance = input.instance;
        meta.error_of_parser = input.parser_error;
        if (input.packet_path == PSA_PacketPath_t.CLONE_I2E) {
            headers.to_controller.setValid();
            headers.to_controller.port = psa_PortId_int_to_header(input.egress_port);
            headers.to_controller.group = psa_MulticastGroup_int_to_header((MulticastGroup_t)1);
            headers.to_controller.session = psa_CloneSessionId_int_to_header(PSA_CLONE_SESSION_TO_CPU);
            headers.to_controller.class = psa_ClassOfService_int_to_header(input.class_of_service);
            headers.to_controller.length = psa_PacketLength_int_to_header((PacketLength_t)64);
            headers.to_controller.instance = psa_EgressInstance_int_to_header(input.instance);
            headers.to_controller.time = psa_Timestamp_int_to_header(input.egress_timestamp);
        } else if (headers.to_controller.isValid()) {
            output.clone = psa_PortId_header_to_int(headers.to_controller.port) == input.egress_port
                && psa_MulticastGroup_header_to_int(headers.to_controller.group) == (MulticastGroup_t)1
                && psa_ClassOfService_header_to_int(headers.to_controller.class) == input.class_of_service
                && psa_PacketLength_header_to_int(headers.to_controller.length) == (PacketLength_t)64
                && psa_EgressInstance_header_to_int(headers.to_controller.instance) == input.instance
                && psa_Timestamp_header_to_int(headers.to_controller.time) == input.egress_timestamp;
            output.clone_session_id = psa_CloneSessionId_header_to_int(headers.to_controller.session);
        }
        if (output.drop) {
            egress_drop(output);
        }
    }
}

control CloseEgress(packet_out buffer,
                    out empty_t clone_meta,
                    out empty_t recirculate_meta,
                    inout headers_t headers,
                    in meta_t meta,
                    in psa_egress_output_metadata_t output,
                    in psa_egress_deparser_input_metadata_t deparser_input) {
    apply {
        if (psa_clone_e2e(output) || psa_recirculate(output, deparser_input)) {
            headers.ethernet.kind = (bit<16>)(PortIdUint_t)deparser_input.egress_port;
        }
        if (meta.error_of_parser == error.NoError) {
            buffer.emit(headers);
        }
    }
}

IngressPipeline(Receive(), Forward(), CloseIngress()) incoming;
EgressPipeline(Reopen(), Send(), CloseEgress()) outgoing;
PSA_Switch(incoming, PacketReplicationEngine(), outgoing, BufferingQueueingEngine()) main;
