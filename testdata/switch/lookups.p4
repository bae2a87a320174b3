/* Tables of every kind; what their actions do does not matter. */
#include <core.p4>
#include <v1model.p4>

header keys_t {
    bit<3> small;
    bit<5> other;
    bit<32> address;
    bit<128> long_address;
    bit<200> wide;
}

struct headers_t {
    keys_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc32, 32w64, 32w32) by_hash;
    action_selector(HashAlgorithm.random, 32w64, 32w16) by_chance;
    action_profile(64) members;
    direct_counter(CounterType.packets_and_bytes) counts;
    direct_meter<bit<3>>(MeterType.bytes) rates;

    action none() {}

    action narrow(bit<3> a, bit<9> b) {
        hdr.k.small = a;
        standard.egress_spec = b;
    }

    action broad(bit<7> a, bit<130> b, bit<64> c) {
        hdr.k.wide = (bit<200>)(a ++ b ++ c[1:0]);
    }

    action metered(bit<32> a) {
        hdr.k.address = a;
        rates.read(hdr.k.small);
    }

    table exact_one {
        key = { hdr.k.small: exact; }
        actions = { narrow; broad; none; }
        default_action = narrow(1, 2);
        support_timeout = true;
    }

    table exact_many {
        key = { hdr.k.small: exact; hdr.k.wide: exact; hdr.k.other: exact; }
        actions = { narrow; broad; none; }
        default_action = broad(3, 4, 5);
    }

    table routes {
        key = { hdr.k.address: lpm; }
        actions = { metered; none; }
        default_action = none();
        counters = counts;
        meters = rates;
    }

    table long_routes {
        key = { hdr.k.long_address: lpm; hdr.k.small: exact; }
        actions = { narrow; broad; none; }
        default_action = none();
    }

    table rules {
        key = {
            hdr.k.small: ternary;
            hdr.k.wide: optional;
            hdr.k.other: range;
            hdr.k.long_address: ternary;
        }
        actions = { narrow; broad; none; }
        default_action = none();
    }

    table no_key {
        actions = { narrow; none; }
        default_action = narrow(5, 6);
    }

    table balance {
        key = {
            hdr.k.other: selector;
            hdr.k.small: exact;
            hdr.k.wide: selector;
            hdr.k.address: lpm;
            hdr.k.long_address: selector;
        }
        actions = { narrow; broad; none; }
        default_action = narrow(7, 7);
        implementation = by_hash;
    }

    table chance {
        key = { hdr.k.small: exact; hdr.k.other: selector; }
        actions = { narrow; broad; none; }
        default_action = none();
        implementation = by_chance;
    }

    table named {
        key = { hdr.k.small: exact; hdr.k.address: exact; }
        actions = { narrow; broad; none; }
        default_action = none();
        implementation = members;
    }

    apply {
        exact_one.apply();
        exact_many.apply();
        routes.apply();
        long_routes.apply();
        rules.apply();
        no_key.apply();
        balance.apply();
        chance.apply();
        named.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
