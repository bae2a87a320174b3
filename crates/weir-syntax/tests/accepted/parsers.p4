parser sub(packet_in p, out bit<8> x);
parser p<H>(packet_in p, out H h)(bit<8> depth) {
    const bit<8> one = 1;
    bit<8> local = 2;
    @size(4) value_set<bit<16>>(4) types;
    value_set<tuple<bit<8>, bool>>(one) pairs;
    value_set<key_t>(2) named;
    counter() seen;
    @name("begin") state start {
        local = 3;
        bit<8> inner;
        const bool yes = true;
        p.extract(h.a);
        if (local == 1) { local = 2; } else local = 3;
        { local = 4; }
        inner_parser.apply(p, h);
        transition select(h.a.type, local + 1) {
            (1, 2): next;
            (1 &&& 3, _): next;
            (1 .. 5, default): accept;
            ((bit<8>) 3, types): apply;
            (_, _): reject;
            default: last;
        }
    }
    state next {
        transition select(h.a) {
            1: start;
            0x10 &&& 0xF0: start;
            1 .. 3: start;
            (4): start;
            (5 &&& 7): start;
            (6 + 1) * 2: start;
            (bit<16>) 9: start;
            a ? b : c: start;
            types: start;
            { 1, 2 }: start;
            _: last;
        }
    }
    state apply { transition state; }
    state state { transition reject; }
    state last { }
    state none { transition select(x) { } }
}
