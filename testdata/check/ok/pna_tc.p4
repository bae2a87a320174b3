// What `tc/pna.p4` adds to version 0.7 of the Portable NIC Architecture.
// `tests/architectures.rs` of weir-compiler checks that nothing is missing.
#include <tc/pna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
}

// What the control plane sees of extern objects.
struct cells_t {
    tc_ControlPath_Counter<bit<64>, bit<8>> counter;
    tc_ControlPath_DirectCounter<bit<64>> direct_counter;
    tc_ControlPath_Meter<bit<8>> meter;
    tc_ControlPath_DirectMeter direct_meter;
    tc_ControlPath_Register<bit<16>> register;
    tc_ControlPath_Digest<bit<48>> digest;
}

bit<64> cells(in cells_t cells) {
    return cells.counter.pkts + cells.counter.bytes + (bit<64>)cells.counter.index
        + cells.meter.cir + cells.meter.cbs + cells.meter.pir + cells.meter.pbs
        + cells.direct_counter.pkts + cells.direct_meter.cir
        + (bit<64>)cells.register.a_value + (bit<64>)cells.digest.data;
}

struct meta_t {
    cells_t cells;
}

parser Receive(packet_in packet,
               out headers_t headers,
               inout meta_t meta,
               in pna_main_parser_input_metadata_t input) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Forward(inout headers_t headers,
                inout meta_t meta,
                in pna_main_input_metadata_t input,
                inout pna_main_output_metadata_t output) {
    action forward(PortId_t port) {
        send_to_port(port);
    }
    table destinations {
        key = {
            headers.ethernet.destination: exact;
        }
        actions = { forward; NoAction; }
    }
    apply {
        skb_get_meta();
        if (skb_get_tc_at_ingress() == 1 || skb_get_from_ingress() == 1 || input.recirculate) {
            skb_set_tstamp(skb_get_tstamp() + cells(meta.cells));
            skb_set_mark(skb_get_mark() + 1);
            skb_set_tc_classid(skb_get_tc_classid());
            skb_set_tc_index(skb_get_tc_index());
            skb_set_queue_mapping(skb_get_queue_mapping());
            skb_set_protocol(skb_get_protocol());
            skb_set_meta();
        }
        destinations.apply();
    }
}

control Close(packet_out packet, inout headers_t headers, in meta_t meta, in pna_main_output_metadata_t output) {
    apply {
        packet.emit(headers);
    }
}

PNA_NIC(Receive(), Forward(), Close()) main;
