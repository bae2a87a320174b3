// Entries that can never match.
#include <core.p4>
#include <v1model.p4>

enum bit<8> Kind { First = 1, Second = 2 }

control c(in bit<32> a, in bit<8> b, in Kind kind, in bool flag, in int<8> s, out bit<8> x) {
    action set(bit<8> value) { x = value; }

    table ternary_range {
        key = { a: ternary; b: range; }
        actions = { set; }
        default_action = set(0);
        const entries = {
            (0x0a000000 &&& 0xff000000, _) : set(1);
            (0x0a010000 &&& 0xffff0000, 5) : set(2);        // WARNING covered-entry
            (0x0b010000 &&& 0xffff0000, 5) : set(3);
            (_, 1..9) : set(4);
            (7, 3..4) : set(5);                             // WARNING covered-entry
            (7, 3..10) : set(6);
            (_, 0..255) : set(7);
            (8, _) : set(8);                                // WARNING covered-entry
        }
    }

    table prefixes {
        key = { a: lpm; flag: exact; }
        actions = { set; }
        default_action = set(0);
        const entries = {
            (0x0a000000 &&& 0xff000000, true) : set(1);
            (0x0a010000 &&& 0xffff0000, true) : set(2);
            (0x0a000001 &&& 0xff000000, true) : set(3);     // WARNING covered-entry
            (0x0a000001 &&& 0xff000000, false) : set(4);
            (_, true) : set(5);
            (0 &&& 0, true) : set(6);                       // WARNING covered-entry
        }
    }

    // Priorities decide, not the order in the text.
    table priorities {
        key = { a: ternary; kind: optional; }
        actions = { set; }
        default_action = set(0);
        largest_priority_wins = false;
        entries = {
            priority = 30 : (_, Kind.First) : set(1);
            priority = 10 : (5, Kind.First) : set(2);
            priority = 40 : (6, Kind.First) : set(3);       // WARNING covered-entry
            priority = 50 : (6, Kind.Second) : set(4);
        }
    }

    table largest_wins {
        key = { a: ternary; }
        actions = { set; }
        default_action = set(0);
        entries = {
            priority = 10 : 5 &&& 7 : set(1);
            priority = 20 : 13 : set(2);
            priority = 5 : 21 : set(3);                     // WARNING covered-entry
        }
    }

    // Ranges against masks: a range has the upper bits that its ends share.
    table masks_and_ranges {
        key = { b: range; s: ternary; }
        actions = { set; }
        default_action = set(0);
        const entries = {
            (16..31, -1) : set(1);
            (20..23, -1) : set(2);                          // WARNING covered-entry
            (20..23, 1) : set(3);
            (20, 1) : set(4);                               // WARNING covered-entry
            (24, 1) : set(5);
        }
    }

    // The older form of priorities: the smallest wins, and the others have their positions.
    table annotated {
        key = { b: ternary; }
        actions = { set; }
        default_action = set(0);
        const entries = {
            0x10 &&& 0xf0 : set(1) @priority(5);
            0x11 : set(2);
            0x12 : set(3) @priority(6);                     // WARNING covered-entry
        }
    }

    apply {
        x = 0;
        annotated.apply();
        ternary_range.apply();
        prefixes.apply();
        priorities.apply();
        largest_wins.apply();
        masks_and_ranges.apply();
    }
}
