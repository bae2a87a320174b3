const bit<8> a = 1
typedef bit<8> t
header h {
    bit<8> x
    bit<8> y;
}
control c(inout h v) {
    action act() { v.x = 1 }
    apply {
        v.x = 2
        v.y = 3
        act()
        if (v.x == 1) { v.y = 1; }
        return
    }
}
