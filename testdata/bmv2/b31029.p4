#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<4> k2;
    bit<48> f0;
    bit<1> f1;
    bit<5> f2;
    bit<6> pad;
}
header b_t {
    bit<24> f0;
    int<48> f1;
}
header c_t {
    bit<8> kind;
    bit<8> f0;
    int<7> f1;
    int<32> f2;
    bit<1> pad;
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
    bit<33> f0;
    bit<63> f1;
}
header_union u_t { b_t x; c_t y; }
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
    u_t u;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(3)
    int<3> m0;
    @field_list(1)
    bit<16> m1;
    @field_list(2, 3)
    bit<100> m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(2)
    bit<2> color;
    inner_t inner;
}
bit<12> fun1(out bit<3> p0, inout bit<3> p1) {
    p0 = 3w7;
    p1 = ((p0 * p1) << 5w0b1);
    return 12w0x0;
}
bit<5> fun2(in bit<48> p0, out int<33> p1) {
    p1 = 33s4065600614;
    if (((!false) || ((((int<17>) p1) <= ((int<17>) p1)) && (p1 == p1)))) {
        p1 = (-(~p1));
    }
    return (-(((bit<5>) ((bit<64>) (bit<33>) p1)) ^ (((bit<1>) p0) ++ ((bit<4>) (int<4>) p1))));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.k2 = ((((bit<4>) h.a.f1) |+| h.a.k2) << ((bit<8>) h.a.k2));
        m.m1 = ((bit<16>) ((bit<31>) 13w0b111111111111));
        transition select(h.a.f1, h.a.k0) {
            (1w0x1, 16w0x32d7): at_c;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition at_s;
    }
    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }
    state at_ux { p.extract(h.u.x); transition at_c; }
    state at_uy { p.extract(h.u.y); transition at_c; }
    state at_c {
        p.extract(h.c);
        h.c.f2 = ((int<32>) (bit<32>) (33w0x1 & 33w0x0));
        transition select(h.c.kind) {
            8w175 &&& 8w0x1: accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0xff: at_s;
            8w129 &&& 8w177: at_s;
            8w255: at_s;
            _: accept;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt3;
    counter(4, CounterType.packets_and_bytes) cnt4;
    register<bit<9>>(16) reg5;
    register<bit<32>>(1) reg6;
    meter(4, MeterType.bytes) mtr7;
    action act8(int<16> x0) {
        if (h.b.isValid() && (4w0b111 > 4w6)) {
            h.r.right[15:12] = ((h.a.k2 * h.a.k2) >> 8w0);
        }
        if (h.d.isValid()) {
            h.r.code = (-m.again);
        }
    }
    action act9(in bit<33> d0, out bit<8> d1) {
        d1 = 8w127;
        int<8> v10 = 8s127;
        if (h.u.x.isValid() && h.u.y.isValid()) {
            h.a.k1 = ((h.r.wide >> 8w39))[44:37];
            m.color = (~(48w281474976710655)[38:37]);
        }
        mtr7.execute_meter<bit<2>>((bit<32>) (m.color ^ ((bit<2>) m.inner.x)), m.color);
    }
    direct_meter<bit<2>>(MeterType.bytes) dm;
    action act11(int<13> x0) {
        dm.read(m.color);
        m.m1[13:0] = ((s.packet_length == 32w0x88cb38ed) ? ((h.a.f1 == 1w0x1) ? ((bit<14>) h.r.right) : 14w0x0) : (h.a.f0)[17:4]);
        h.a.f2[0:0] = (h.a.f1 |+| h.a.f1);
        mark_to_drop(s);
    }
    table t12 {
        key = {
            h.a.pad: exact @name("k0");
            h.r.small: exact @name("k1");
            ((m.inner.x >> 13))[13:2]: lpm @name("k2");
        }
        actions = {
            act11;
        }
        const default_action = act11(13s1);
        meters = dm;
    }
    table t13 {
        key = {
            h.s[1].isValid(): ternary @name("k0");
            h.a.f1: lpm @name("k1");
        }
        actions = {
            NoAction;
            act8;
            act9(((h.r.right < h.r.left) ? (false ? 33w0x1 : 33w0x1) : ((bit<33>) h.a.f1)), h.r.code);
        }
        default_action = act8(16s32767);
        size = 128;
    }
    table t14 {
        key = {
            h.a.k2: exact @name("k0");
            h.a.f2: exact @name("k1");
        }
        actions = {
            NoAction;
            act8;
            act9(((h.r.right < h.r.left) ? (false ? 33w0x1 : 33w0x1) : ((bit<33>) h.a.f1)), h.r.code);
        }
        const entries = {
            (4w0b101, 5w0x1d): act8(16s13015);
            (4w2, 5w0xf): act9(((h.r.right < h.r.left) ? (false ? 33w0x1 : 33w0x1) : ((bit<33>) h.a.f1)), h.r.code);
        }
        default_action = act8(16s8499);
        size = 64;
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (h.u.x.isValid()) {
            m.m2 = ((11w0x44d ^ ((bit<11>) h.r.small)) ++ (-((bit<89>) h.r.code)));
            h.r.wide = ((bit<64>) (-((bit<127>) m.m2)));
        }
        switch (t12.apply().action_run) {
            act11: {
                t13.apply();
                t14.apply();
            }
            default: {
                h.a.f2 = (h.a.f1 ++ (h.r.right)[16:13]);
                h.a.pad[5:4] = (~(h.a.k0)[8:7]);
            }
        }
        if (((s.instance_type > s.instance_type) && (!(h.a.f0 < h.a.f0)))) {
            h.u.x = { (((bit<64>) m.m1))[33:10], (((int<48>) (bit<48>) h.a.pad) >> 37) };
        }
        h.b.setInvalid();
        if (h.c.isValid()) {
            h.a.f1 = 1w0x1;
        }
        s.egress_spec = (bit<9>) (~m.color);
        h.r.code[1:0] = m.color;
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt15;
    counter(8, CounterType.bytes) cnt16;
    meter(4, MeterType.packets) mtr17;
    action act18() {
        hash(h.a.k1, HashAlgorithm.crc16, 8w0x2f, { h.a.f2, h.a.f2, m.again, h.a.pad }, 32w1);
        if (h.s[1].isValid()) {
            h.a.pad = ((h.a.pad ^ h.a.pad) ^ (-h.a.pad));
        }
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
        bit<65> v19 = ((((bit<65>) s.ingress_port) ^ ((bit<65>) h.a.f1)) << 8w70);
        h.r.wide = h.r.wide ^ ((bit<64>) (int<64>) m.m0);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.u); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
