// Names that several architectures declare, and one of the language's own file.
control I(in bit<8> index) {
    Register<bit<8>, bit<8>>(16) state; // ERROR unknown-type
    apply {
        NoAction(); // ERROR unknown-name
    }
}
