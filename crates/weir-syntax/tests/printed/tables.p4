control c(inout H h) {
    action a() { }
    action b(bit<8> x, bit<8> y) { }
    table plain { actions = { a; } }
    @name("full") table full {
        key = {
            h.x: exact;
            h.y & 3: ternary @name("y") @hidden;
            h.z[3:0]: lpm;
            h.isValid(): optional;
            h.s.key: selector;
        }
        actions = {
            a;
            a();
            b(1);
            .NoAction;
            @tableonly b(x = 1);
            @defaultonly @other c;
        }
        const default_action = b(1, 2);
        size = 1 << 10;
        @selector implementation = action_selector(32w64, HashAlgorithm.crc16);
        counters = direct_counter(CounterType.packets);
        const entries = {
            (1, 2, 3, true, _): a();
            const (1, 2 &&& 3, 4 .. 5, false, default): b(1, 2) @entry;
            priority = 10: (1, _, _, _, _): a;
            const priority = (3 + 4): (_, _, _, _, _): a;
        }
    }
    table small {
        key = { h.x: exact; }
        actions = { a; }
        entries = { 1: a(); 2 &&& 3: a(); (3): a(); _: a(); }
        largest_priority_wins = false;
        const priority = 1;
        apply = 3;
        state = 2;
        type = 1;
    }
    table empty { key = { } actions = { } entries = { } }
    apply { full.apply(); }
}
