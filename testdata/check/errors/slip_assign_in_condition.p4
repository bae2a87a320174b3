// `=` where `==` is meant, and the other way round.
control c(inout bit<8> x) {
    apply {
        if (x = 1) { // ERROR syntax-assign-for-equals
            x = 2;
        }
        x == 3; // ERROR syntax-equals-for-assign
    }
}
