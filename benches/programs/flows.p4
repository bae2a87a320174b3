// Flows that packets add to a table of a million, and that expire when no packet of the flow has
// come for some time (PNA 0.7).
#include <bmv2/pna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<72> first;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header ports_t {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct meta_t { }

struct known_t {
    PortId_t port;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t input) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        packet.extract(hdr.ports);
        transition accept;
    }
}

control Learn(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t input, inout pna_main_output_metadata_t output) {
    action known(PortId_t port) {
        send_to_port(port);
    }
    action learn() {
        AddEntryErrorStatus_t failed = add_entry(
            "known",
            (known_t) { port = (PortId_t) 32w2 },
            (ExpireTimeProfileId_t) 8w0);
        if (failed == ADD_ENTRY_SUCCESS) {
            send_to_port((PortId_t) 32w2);
        } else {
            drop_packet();
        }
    }
    table flows {
        key = {
            hdr.ipv4.source: exact;
            hdr.ipv4.destination: exact;
            hdr.ipv4.protocol: exact;
            hdr.ports.source: exact;
            hdr.ports.destination: exact;
        }
        actions = {
            @tableonly known;
            @defaultonly learn;
        }
        const default_action = learn();
        add_on_miss = true;
        size = 1000000;
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
    }

    apply {
        if (hdr.ports.isValid()) {
            flows.apply();
        } else {
            drop_packet();
        }
    }
}

control Leave(packet_out packet, inout headers_t hdr, in meta_t meta, in pna_main_output_metadata_t output) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Read(), Learn(), Leave()) main;
