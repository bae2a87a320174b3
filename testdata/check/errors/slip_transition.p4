// Misspelt transitions, and a parser that goes nowhere.
parser p(in bit<16> type) {
    state start {
        transition select(type) {
            0x800: parse_ipv4;
            0x86dd: parse_ipv5; // ERROR unknown-state
            default: acept; // ERROR unknown-state
        }
    }
    state parse_ipv4 { transitoin accept; } // ERROR unknown-type
    state parse_ipv6 { transition acccept; } // ERROR unknown-state
}

parser q(in bit<16> type) { // ERROR no-start-state
    state begin { transition accept; }
}
