// Casts to int that cannot be computed at run time.
control c(inout bit<8> x, in bit<2048> w, in bool b) {
    apply {
        x = (bit<8>)((int)x / 2); // ERROR bad-cast
        x = (bit<8>)((int)w + 1); // ERROR bad-width
        x = (bit<8>)((int)b + 1); // ERROR bad-cast
        x = (bit<8>)((int)x + x); // ERROR bad-cast
        x = (bit<8>)(3 - (int)x * 4);
        x = (bit<8>)((int)y + 1); // ERROR unknown-name
        if ((int)x == 3) { x = 1; } // ERROR bad-cast
    }
}
