// `else if` in other languages' spellings.
control c(inout bit<8> x) {
    apply {
        if (x == 1) {
            x = 2;
        } elseif (x == 2) { // ERROR syntax-misspelt-keyword
            x = 3;
        }
        if (x == 3) {
            x = 4;
        } elif (x == 4) { // ERROR syntax-misspelt-keyword
            x = 5;
        }
        if (x == 5) x = 6; else { x = 7; };
        else { // ERROR syntax-else-without-if
            x = 8;
        }
    }
}
