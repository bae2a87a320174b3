// `select`s without `default`: packets that no case fits are rejected.
parser p(in bit<16> type, in bool tagged, in bit<1> flag) {
    state start {
        transition select(type) {
            0x800: more;
            0x86dd: accept; // WARNING select-without-default
        }
    }
    state more {
        transition select(tagged) {
            true: last;
            false: accept;
        }
    }
    state last {
        transition select(type, flag) {
            (1, 0): accept; // WARNING select-without-default
        }
    }
}
