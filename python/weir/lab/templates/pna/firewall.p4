// A NIC that lets packets of the network reach the host only if the host has sent to their source
// in the last 10 seconds. The network is at port 1, the host at port 300.
#include <core.p4>
#include <bmv2/pna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<96> front;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct meta_t {
}

parser Read(
    packet_in packet,
    out headers_t hdr,
    inout meta_t meta,
    in pna_main_parser_input_metadata_t input
) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control Guard(
    inout headers_t hdr,
    inout meta_t meta,
    in pna_main_input_metadata_t input,
    inout pna_main_output_metadata_t output
) {
    action known() {
    }
    action miss() {
        if (is_host_port(input.input_port)) {
            add_entry("known", {}, (ExpireTimeProfileId_t) 0);
        } else {
            drop_packet();
        }
    }
    table flows {
        key = {
            SelectByDirection(is_net_port(input.input_port), hdr.ipv4.source, hdr.ipv4.destination):
                exact @name("outside");
            SelectByDirection(is_net_port(input.input_port), hdr.ipv4.destination, hdr.ipv4.source):
                exact @name("inside");
        }
        actions = {
            @tableonly known;
            @defaultonly miss;
        }
        const default_action = miss();
        add_on_miss = true;
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
    }
    apply {
        send_to_port(is_host_port(input.input_port) ? (PortId_t) 1 : (PortId_t) 300);
        if (hdr.ipv4.isValid()) {
            flows.apply();
        }
    }
}

control Leave(
    packet_out packet,
    inout headers_t hdr,
    in meta_t meta,
    in pna_main_output_metadata_t output
) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Read(), Guard(), Leave()) main;
