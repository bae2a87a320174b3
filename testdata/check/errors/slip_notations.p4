// Numbers, separators and loops as other languages write them.
const N = 5; // ERROR syntax-unexpected-token

control c(inout bit<32> address, inout bit<48> mac, inout bit<8> ttl) {
    action a() { ttl = 1; }
    table t {
        key = { address: exact, ttl: exact } // ERROR syntax-unexpected-token syntax-missing-semicolon
        actions = { a, } // ERROR syntax-unexpected-token
        default_action = a();
    }
    apply {
        ttl = ttl - 1.5; // ERROR syntax-bad-integer
        address = 10.0.1.1; // ERROR syntax-bad-integer
        mac = 08:00:00:00:01:11; // ERROR syntax-bad-integer
        mac = 0a:00:00:00:01:11; // ERROR syntax-bad-integer
        while (ttl > 0) { ttl = 0; } // ERROR syntax-misspelt-keyword
        if (ttl == 1): { ttl = 2; } // ERROR syntax-unexpected-token
        t.apply();
    }
}

control without_brace(inout bit<8> ttl) {
    apply if (ttl == 1) { ttl = 2; } // ERROR syntax-unexpected-token
}
