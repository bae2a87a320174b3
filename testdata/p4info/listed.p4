// What controllers see: applied tables and their actions, actions that controls call, keys and
// objects with names of their own.
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<32> c;
}

@controller_header("packet_in")
header unused_t {
    bit<9> ingress_port;
    bit<7> padding;
}

struct headers_t {
    @name("first") h_t h;
    @name(".outside") h_t second;
    @name(".many") h_t[2] stack;
}

struct pair_t {
    bit<8> left;
    @noWarn("unwritten-metadata") bit<8> right;
}

struct meta_t {
    @name("total") bit<8> sum;
    @name(".inner") pair_t pair;
}

#include "rest.p4"

action top(inout bit<8> to) {
    to = to + 1;
}

// The name of an instance without a name is its type's, whatever `@name` says.
@name("renamed")
control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets) of_unapplied;
    counter(4, CounterType.bytes) of_nobody;

    action inner(in bit<8> value) {
        meta.sum = value;
    }

    @id(0x1000007)
    @brief("Called with a value.")
    action called(in bit<8> value, bit<8> more) {
        inner(value);
        meta.sum = meta.sum + more;
    }

    action plain(bit<8> value) {
        meta.sum = value;
    }

    action both(bit<8> value) {
        meta.sum = meta.sum | value;
    }

    action never(inout bit<8> value) {
        value = 0;
    }

    action only_unapplied() {
        of_unapplied.count();
    }

    table unapplied {
        key = { hdr.h.a : exact; }
        actions = { only_unapplied; }
        counters = of_unapplied;
        default_action = only_unapplied();
    }

    table applied {
        key = {
            hdr.h.a : exact;
            hdr.second.b : exact;
            hdr.second.isValid() : exact;
            hdr.stack[1].c[7:0] : ternary;
            hdr.stack[0].isValid() : exact;
            meta.sum : exact;
            meta.pair.right : exact;
        }
        actions = { both; NoAction; }
        @name("members") implementation = action_profile(8);
    }

    apply {
        top(meta.sum);
        called(meta.sum, 1);
        plain(3);
        both(4);
        applied.apply();
    }
}

V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
