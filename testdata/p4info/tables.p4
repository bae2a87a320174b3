// Keys of each kind, sizes, default actions, entries, scopes of actions, time-outs.
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<32> c;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    @noWarn("unwritten-metadata") bit<12> m;
    bool flag;
}

#include "rest.p4"

@noWarn("drop-overwritten") control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action drop() {
        mark_to_drop(sm);
    }

    @brief("Sends a packet.")
    @description("To the port, with a new address.")
    action forward(@id(7) bit<9> port, @brief("Where to.") bit<32> next, bool marked) {
        sm.egress_spec = port;
        hdr.h.c = next;
        meta.flag = marked;
    }

    table no_key {
        actions = { forward; drop; }
        default_action = forward(port = 3, next = 0x1020304, marked = true);
    }

    @brief("All kinds.")
    table kinds {
        key = {
            hdr.h.a : exact;
            hdr.h.b : ternary @name("other") @brief("The second field.");
            hdr.h.c : range @id(9);
            meta.m : optional;
            meta.flag : exact;
        }
        actions = { forward; drop; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 5000;
        support_timeout = true;
    }

    table longest {
        key = { hdr.h.c : lpm; }
        actions = { @tableonly forward; @defaultonly drop; }
        default_action = drop;
        const entries = {
            0x0a000000 &&& 0xff000000 : forward(1, 2, false);
        }
    }

    @hidden
    table secret {
        key = { hdr.h.a : exact; }
        actions = { NoAction; }
    }

    @id(0x20000aa)
    table starts_with_entries {
        key = { hdr.h.a : exact; }
        actions = { drop; NoAction; }
        size = 0;
        entries = {
            3 : drop();
        }
    }

    apply {
        no_key.apply();
        kinds.apply();
        longest.apply();
        secret.apply();
        starts_with_entries.apply();
    }
}

V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
