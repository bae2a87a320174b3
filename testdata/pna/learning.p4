// Flows that the data plane learns, in PNA 0.7: a packet that misses adds an entry. Commands in the
// packets restart time-outs.
#include <core.p4>
#include <bmv2/pna.p4>

header flow_t {
    bit<8> what;
    bit<32> source;
    bit<32> destination;
    // Set by the switch.
    bit<8> found;
    bit<32> number;
}

struct headers_t {
    flow_t flow;
}

struct meta_t {
    ExpireTimeProfileId_t profile;
}

struct seen_t {
    bit<32> number;
    bit<8> mark;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t input) {
    state start {
        packet.extract(hdr.flow);
        transition accept;
    }
}

control Learn(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t input, inout pna_main_output_metadata_t output) {
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) packets;

    // The flow is known.
    action seen(bit<32> number, bit<8> mark) {
        packets.count();
        hdr.flow.found = mark;
        hdr.flow.number = number;
    }
    action learn() {
        packets.count();
        FlowId_t flow = allocate_flow_id();
        AddEntryErrorStatus_t failed = add_entry_if(
            hdr.flow.what != 1,
            "seen",
            (seen_t) { number = (FlowIdUint_t) flow, mark = 0x55 },
            meta.profile);
        hdr.flow.found = failed == ADD_ENTRY_SUCCESS ? 8w0xaa : 8w0xff;
        hdr.flow.number = (FlowIdUint_t) flow;
    }
    table flows {
        key = {
            SelectByDirection(is_net_port(input.input_port), hdr.flow.source, hdr.flow.destination): exact @name("from");
            SelectByDirection(is_net_port(input.input_port), hdr.flow.destination, hdr.flow.source): exact @name("to");
        }
        actions = {
            @tableonly seen;
            @defaultonly learn;
        }
        const default_action = learn();
        add_on_miss = true;
        size = 4;
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
        pna_direct_counter = packets;
    }

    // The time-outs of these entries restart only by calls.
    action keep() {
        hdr.flow.found = hdr.flow.found | 0;
        update_expire_info(hdr.flow.what == 2 || hdr.flow.what == 3, hdr.flow.what == 3, (ExpireTimeProfileId_t) 1);
        set_entry_expire_time_if(hdr.flow.what == 4, (ExpireTimeProfileId_t) 200);
    }
    action start() {
        hdr.flow.found = hdr.flow.found + 1;
        bit<1> failed = add_entry("keep", {}, (ExpireTimeProfileId_t) 0);
        failed = add_entry("keep", {}, (ExpireTimeProfileId_t) 0);
        hdr.flow.found = hdr.flow.found + (bit<8>) failed;
    }
    table sources {
        key = {
            hdr.flow.source: exact;
        }
        actions = {
            keep;
            @defaultonly start;
        }
        const default_action = start();
        add_on_miss = true;
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
    }

    apply {
        meta.profile = (ExpireTimeProfileId_t) (hdr.flow.what == 5 ? 8w1 : 0);
        flows.apply();
        if (hdr.flow.what >= 2) {
            sources.apply();
        }
        send_to_port((PortId_t) (is_host_port(input.input_port) ? 32w2 : 300));
    }
}

control Leave(packet_out packet, inout headers_t hdr, in meta_t meta, in pna_main_output_metadata_t output) {
    apply {
        packet.emit(hdr.flow);
    }
}

PNA_NIC(Read(), Learn(), Leave()) main;
