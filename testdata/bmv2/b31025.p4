#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<4> k1;
    bit<6> k2;
    int<13> f0;
    int<65> f1;
    bit<16> f2;
}
header b_t {
    bit<31> f0;
    bit<127> f1;
    bit<1> f2;
    bit<3> f3;
    bit<6> pad;
}
header c_t {
    bit<8> kind;
    int<100> f0;
    bit<4> f1;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header s_t {
    bit<8> kind;
    bit<63> f0;
    bit<4> f1;
    bit<40> f2;
    bit<5> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1)
    bit<4> m0;
    @field_list(3)
    int<24> m1;
    bit<17> m2;
    @field_list(1, 3)
    int<9> m3;
    @field_list(2, 3)
    bit<12> m4;
    @field_list(3)
    bit<8> m5;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        transition select(h.a.f2, h.a.k0) {
            (16w37388, 16w0b1111111111111111): at_c;
            (16w32767, 16w0): at_c;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0x93 &&& 8w255: at_s;
            8w127: at_s;
            8w127 .. 8w0x7f: at_s;
            default: at_c;
        }
    }
    state at_c {
        p.extract(h.c);
        bit<7> v1 = (((bit<48>) h.c.f1))[24:18];
        m.color = (((bit<1>) ((bit<3>) m.color)) ++ ((m.color == 2w0b11) ? 1w0x0 : 1w1));
        transition select(h.c.kind) {
            set2: at_b;
            8w0b1111111: accept;
            8w0xd6: accept;
            8w68: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.f2, h.a.f2 }, h.a.f2, HashAlgorithm.csum16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt3;
    counter(8, CounterType.packets) cnt4;
    action act5(in int<32> d0) {
        if (h.b.isValid()) {
            bit<2> v6 = ((bit<2>) (h.r.wide)[49:19]);
            bit<100> v7 = ((128w0x4ef5ce854afff65b093df814f47c8d95 - ((bit<128>) s.ingress_port)))[120:21];
        }
        if (h.s[1].isValid()) {
            h.r.small = (((h.r.left < h.r.right) ? h.a.f2 : 16w35344) | (h.a.f2 + ((bit<16>) (bit<32>) d0)));
            m.m2[2:1] = (m.color << 8w4);
        }
    }
    apply {
        h.r.setValid();
        h.r.code = 0;
        h.r.left = 0;
        h.r.right = 0;
        h.r.small = 0;
        h.r.wide = 0;
        if (s.parser_error != error.NoError) {
            s.egress_spec = 4;
            if (s.parser_error == error.PacketTooShort) { h.r.code = 1; }
            if (s.parser_error == error.NoMatch) { h.r.code = 2; }
            if (s.parser_error == error.StackOutOfBounds) { h.r.code = 3; }
            if (s.parser_error == error.HeaderTooShort) { h.r.code = 4; }
            if (s.parser_error == error.ParserInvalidArgument) { h.r.code = 5; }
            if (s.parser_error == error.First) { h.r.code = 6; }
            if (s.parser_error == error.Second) { h.r.code = 7; }
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        cnt3.count((bit<32>) ((bit<2>) 40w0x0));
        if (((h.a.k1 <= 4w0b1011) || ((m.m2 == 17w0x125cf) || (s.packet_length != 32w403901687)))) {
            if ((m.m2 == 17w85298)) { exit; }
            if ((((bit<64>) (bit<63>) 63s4611686018427387903) >= (h.r.wide - h.r.wide))) {
                int<40> v8 = (~((int<40>) (bit<40>) s.ingress_port));
            } else {
                if (h.b.isValid()) { h.d = h.b; }
            }
        } else {
            if (h.b.isValid()) {
                if (h.s[0].isValid()) { h.s[1] = h.s[0]; }
                bit<16> v9 = ((false || (m.m5 == 8w127)) ? (-h.a.k0) : (~h.a.k0));
            }
            if (((~((bit<48>) (bit<65>) h.a.f1)) == (48w0x1 >> 8w40))) {
                act5(((int<32>) h.a.f1));
                if (h.b.isValid()) { h.d = h.b; }
            }
        }
        if (true) {
            act5((((int<32>) (bit<32>) m.m5) | (~32s541538460)));
            act5((-(-32s926850171)));
        }
        m.m5 = ((h.r.right)[19:14] ++ (16w0xd435)[7:6]);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<63>>(16) reg10;
    action act11(out bit<12> d0, bit<32> x0, int<8> x1) {
        d0 = 12w4095;
        m.m1 = m.m1;
        if ((m.m2 == m.m2)) {
            m.m4 = ((5w0b0 |-| ((bit<5>) x0)) ++ ((bit<7>) ((bit<128>) h.r.small)));
            hash(h.r.left, HashAlgorithm.identity, 8w89, { x1, h.a.k0 }, 32w0x7);
        }
    }
    table t12 {
        key = {
            s.instance_type: optional @name("k0");
            s.egress_rid: exact @name("k1");
        }
        actions = {
            act11(m.m4);
            @defaultonly NoAction;
        }
        entries = {
            priority=312: (_, 16w0xffff): act11(m.m4, 32w0x2047389c, 8s68);
            priority=25: (_, 16w0b1001001000001100): act11(m.m4, 32w0xffffffff, 8s127);
            priority=130: (32w0x0, 16w0b111000000111110): act11(m.m4, 32w0x0, 8s19);
        }
        default_action = act11(m.m4, 32w0x76216b97, 8s127);
        size = 128;
    }
    apply {
        if (!h.r.isValid()) {
            h.r.setValid();
            h.r.code = 0;
            h.r.left = 0;
            h.r.right = 0;
            h.r.small = 0;
            h.r.wide = 0;
        }
        if (!h.a.isValid()) { return; }
        h.r.small = (bit<16>) s.instance_type;
        t12.apply();
        mark_to_drop(s);
        h.r.wide = h.r.wide ^ ((bit<64>) m.again);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
