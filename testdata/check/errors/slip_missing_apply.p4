// A control's statements without `apply` before them, and one without any.
control without_the_word(inout bit<8> x) {
    action a() { x = 1; }
    { // ERROR syntax-missing-apply
        a();
    }
}

control without_the_block(inout bit<8> x) {
    action a() { x = 1; }
} // ERROR syntax-missing-apply

control statements_alone(inout bit<8> x) {
    x = 1; // ERROR syntax-unexpected-token
} // ERROR syntax-missing-apply
