// Control-plane names, annotations and properties of what a program instantiates.
#include "pipe.p4"

extern profile {
    profile(bit<32> size);
}
extern tally<I> {
    tally(bit<32> size, bool packets);
    void count(in I index);
}
extern direct_tally {
    direct_tally();
}

@controller_header("packet_in")
header byte_t { @format(MAC) bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { @field_list(1, 2) bit<8> m; @noWarn("unwritten-metadata") bit<8> n; }

tally<bit<8>>(8, true) top;
@name("renamed_top") tally<bit<16>>(16, false) other_top;

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    @name("wanted") value_set<bit<8>>(4) set;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            set: accept;
            8w0x10 &&& 8w0xf0: accept;
            default: reject;
        }
    }
}

control Inner(inout bit<8> x)(bit<32> size) {
    tally<bit<8>>(size, true) c;
    @name(".absolute") action mark() { x = 1; c.count(x); }
    table t {
        key = { x: exact; }
        actions = { mark; NoAction; }
        default_action = NoAction;
        size = size;
    }
    apply { t.apply(); }
}

control C(inout headers hdr, inout meta_t meta) {
    Inner(4) first;
    @name("second_inner") Inner(5) second;
    direct_tally() hits;
    profile(32) members;
    action set(inout bit<8> target, @id(7) bit<8> value) { target = value; }
    action set_b() { hdr.h.b = 0; }
    @id(42) @brief("a table")
    table main_table {
        key = {
            hdr.h.a: lpm @name("address");
            hdr.h.isValid(): exact;
            meta.m[3:0]: ternary;
        }
        actions = {
            set(meta.n);
            @tableonly set_b;
            @defaultonly NoAction;
        }
        implementation = members;
        counters = hits;
        support_timeout = true;
        const default_action = NoAction();
    }
    table unnamed_profile {
        key = { hdr.h.b: selector; }
        actions = { NoAction; }
        implementation = profile(16);
    }
    apply {
        first.apply(meta.m);
        second.apply(meta.m);
        main_table.apply();
        unnamed_profile.apply();
        top.count(hdr.h.a);
        other_top.count(16w2);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
