/*
 * access_point.p4 - the switch of a Wi-Fi access point.
 *
 * Port 1 is the Wi-Fi interface, port 2 the uplink (if stations are bridged to it), port 3 the
 * computer itself. The switch learns where addresses are, as l2_switch.p4 does. For each station it
 * counts what passes in each direction, and limits it.
 *
 * A station is its Ethernet address. Counters and limits are arrays with a slot for each hash value
 * of an address; stations that the control plane lists have slots of their own. So a station counts
 * from its first frame, without a controller; two stations share a hash slot by chance (1 in 8192
 * for two stations), and then their limits.
 *
 * Stations reach one another through this switch only if hostapd has ap_isolate=1; otherwise the
 * kernel relays their frames itself.
 */

#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

const port_t WIFI = 1;

const bit<32> LISTED = 256;
const bit<32> HASHED = 8192;
const bit<32> SLOTS = LISTED + HASHED;

// The colour of a packet that is over the limit.
const bit<2> RED = 2;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t { }

// Where an address is: the address, or 0, and the port.
struct location_t {
    mac_t mac;
    port_t port;
}

parser ApParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control ApVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control ApIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<location_t>(HASHED) locations;
    counter(SLOTS, CounterType.packets_and_bytes) uploads;
    counter(SLOTS, CounterType.packets_and_bytes) uploads_over_limit;
    meter(SLOTS, MeterType.bytes) upload_limits;
    direct_counter(CounterType.packets_and_bytes) of_senders;
    bit<32> slot;

    action block() {
        mark_to_drop(std);
        exit;
    }

    action use_slot(bit<32> number) {
        slot = number;
    }

    // Stations with a slot of their own, and those that must not send. The addresses of this
    // computer are in the table, too, so that no station can pretend to be the gateway.
    table senders {
        key = { hdr.ethernet.src : exact; }
        actions = { use_slot; block; NoAction; }
        default_action = NoAction();
        counters = of_senders;
        size = 1024;
    }

    apply {
        // EAPOL, preauthentication and TDLS are between a station and hostapd. Frames to
        // 01:80:c2:00:00:0x never leave a link (IEEE 802.1Q, table 8-1).
        if (std.parser_error != error.NoError || hdr.ethernet.src[40:40] == 1
            || hdr.ethernet.type == 0x888e || hdr.ethernet.type == 0x88c7 || hdr.ethernet.type == 0x890d
            || hdr.ethernet.dst[47:4] == 0x0180c200000) {
            mark_to_drop(std);
            return;
        }

        if (std.ingress_port == WIFI) {
            hash(slot, HashAlgorithm.crc32, LISTED, { hdr.ethernet.src }, HASHED);
            senders.apply();
            bit<2> colour;
            upload_limits.execute_meter(slot, colour);
            if (colour == RED) {
                uploads_over_limit.count(slot);
                mark_to_drop(std);
                return;
            }
            uploads.count(slot);
        }

        bit<32> own;
        hash(own, HashAlgorithm.crc32, 32w0, { hdr.ethernet.src }, HASHED);
        locations.write(own, { hdr.ethernet.src, std.ingress_port });

        bit<32> cell;
        location_t location;
        hash(cell, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst }, HASHED);
        locations.read(location, cell);
        if (hdr.ethernet.dst[40:40] == 0 && location.mac == hdr.ethernet.dst) {
            std.egress_spec = location.port;
            // A frame from one station to another leaves where it came from.
            if (location.port == std.ingress_port && location.port != WIFI) {
                mark_to_drop(std);
            }
        } else {
            // Group n: where frames from port n go that are for everybody, or for an unknown address.
            std.mcast_grp = (bit<16>) std.ingress_port;
        }
    }
}

control ApEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(SLOTS, CounterType.packets_and_bytes) downloads;
    counter(SLOTS, CounterType.packets_and_bytes) downloads_over_limit;
    counter(32w1, CounterType.packets_and_bytes) isolated;
    meter(SLOTS, MeterType.bytes) download_limits;
    direct_counter(CounterType.packets_and_bytes) of_receivers;
    bit<32> slot;

    action block() {
        mark_to_drop(std);
        exit;
    }

    action use_slot(bit<32> number) {
        slot = number;
    }

    // The same stations as in `senders`.
    table receivers {
        key = { hdr.ethernet.dst : exact; }
        actions = { use_slot; block; NoAction; }
        default_action = NoAction();
        counters = of_receivers;
        size = 1024;
    }

    action isolate() {
        isolated.count(32w0);
        mark_to_drop(std);
        exit;
    }

    action relay() { }

    // What happens to frames from one station to others: its default action.
    table between_stations {
        actions = { isolate; relay; }
        default_action = isolate();
    }

    apply {
        if (std.egress_port == WIFI) {
            if (std.ingress_port == WIFI) {
                between_stations.apply();
            }
            if (hdr.ethernet.dst[40:40] == 0) {
                hash(slot, HashAlgorithm.crc32, LISTED, { hdr.ethernet.dst }, HASHED);
                receivers.apply();
                bit<2> colour;
                download_limits.execute_meter(slot, colour);
                if (colour == RED) {
                    downloads_over_limit.count(slot);
                    mark_to_drop(std);
                    return;
                }
                downloads.count(slot);
            }
        }
    }
}

control ApComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control ApDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(ApParser(), ApVerifyChecksum(), ApIngress(), ApEgress(), ApComputeChecksum(), ApDeparser()) main;
