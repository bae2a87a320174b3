// Tables: keys, actions, entries, properties.
#include <core.p4>

header h_t { bit<8> a; bit<32> b; varbit<16> v; }
struct m_t { bit<8> x; }

control C(inout h_t h, inout m_t m, inout bit<9> port) {
    action send(bit<9> p) { port = p; }
    action copy(inout bit<8> to, bit<8> from) { to = from; }
    action nop() { }

    table no_actions { // ERROR missing-actions
        key = { h.a: exact; }
    }
    table keys {
        key = {
            h: exact; // ERROR type-mismatch
            h.v: exact; // ERROR type-mismatch
            5: exact; // ERROR type-mismatch
            h.a: exakt; // ERROR unknown-match-kind
            h.a + 1: exact; // ERROR unnamed-key
            h.a + 2: exact @name("next");
            h.a & 0xf: ternary;
        }
        actions = { nop; }
    }
    table listed {
        actions = {
            nop;
            nop; // ERROR duplicate-action
            port; // ERROR not-an-action
            copy; // ERROR argument-count
            send(1); // ERROR argument-count
        }
    }
    table defaults {
        key = { h.a: exact; }
        actions = { nop; @tableonly send; copy(m.x); }
        default_action = send(1); // ERROR action-not-allowed
    }
    table group_default {
        key = { h.a: exact; }
        actions = { nop; @groupaction send; }
        default_action = send(1); // ERROR action-not-allowed
        const entries = {
            1: send(2); // ERROR action-not-allowed
        }
    }
    table missing_default {
        key = { h.a: exact; }
        actions = { nop; copy(m.x); }
        default_action = send(1); // ERROR action-not-listed
    }
    table bad_default {
        key = { h.a: exact; }
        actions = { nop; send; }
        default_action = send(); // ERROR argument-count
        size = m.x; // ERROR not-constant
        size = 16; // ERROR duplicate-property
    }
    table entries_without_key { // ERROR entries-without-key
        actions = { nop; }
        const entries = { 1: nop(); }
    }
    table entry_kinds {
        key = { h.a: exact; h.b: lpm; }
        actions = { nop; send; @defaultonly copy(m.x); }
        const entries = {
            (1, 0x0a000000 &&& 0xff000000): send(3);
            (1, 2, 3): nop(); // ERROR keyset-length
            1: nop(); // ERROR keyset-length
            (_, 1): nop(); // ERROR bad-keyset
            (1 &&& 1, 2): nop(); // ERROR bad-keyset
            (1, 2 .. 3): nop(); // ERROR bad-keyset
            (m.x, 2): nop(); // ERROR not-constant
            (256, 2): nop(); // WARNING truncated-constant
            (true, 2): nop(); // ERROR type-mismatch
            (3, 3): copy(5); // ERROR action-not-allowed
        }
    }
    table priorities {
        key = { h.b: ternary; }
        actions = { nop; }
        entries = {
            1: nop(); // ERROR bad-priority
            priority = 3: 2: nop();
        }
    }
    table never { // WARNING unused-table
        actions = { nop; }
    }
    apply {
        no_actions.apply();
        keys.apply();
        listed.apply();
        defaults.apply();
        group_default.apply();
        missing_default.apply();
        bad_default.apply();
        entries_without_key.apply();
        entry_kinds.apply();
        priorities.apply(1); // ERROR argument-count
        if (keys.apply()) { // ERROR type-mismatch
            port = 1;
        }
        if (keys.apply().hti) { // ERROR unknown-member
            port = 2;
        }
    }
}
