// Comparisons with the same result for every value.
enum bit<4> Level { Low = 1, High = 9 }
type bit<6> Code;
const bit<8> MASK = 0x0F;

control C(inout bit<8> x, inout int<8> z, inout bit<16> y, inout bool b, inout Level l, in Code c) {
    apply {
        b = x < 0;                              // WARNING constant-comparison
        b = x >= 0;                             // WARNING constant-comparison
        b = 255 < x;                            // WARNING constant-comparison
        b = x <= 255;                           // WARNING constant-comparison
        b = x <= 254;
        b = x == 256;                           // WARNING truncated-constant
        b = z < -128;                           // WARNING constant-comparison
        b = z <= 127;                           // WARNING constant-comparison
        b = z < -127;
        b = (x & MASK) == 0x10;                 // WARNING constant-comparison
        b = (x & MASK) == 0x0F;
        b = (x & 0xA0) != 0x40;                 // WARNING constant-comparison
        b = (x & 0xA0) == 0x20;
        b = x >> 4 > 15;                        // WARNING constant-comparison
        b = x >> 4 > 14;
        b = (bit<16>)x == 0x1FF;                // WARNING constant-comparison
        b = (bit<16>)x == 0xFF;
        b = (bit<4>)y == 0xF;
        b = (int<16>)z == -129;                 // WARNING constant-comparison
        b = (int<16>)z == -128;
        b = (bit<8>)z == 0xFF;
        b = y[3:0] ++ 4w1 == 0x12;              // WARNING constant-comparison
        b = y[3:0] ++ 4w1 == 0x21;
        b = x << 4 == 0xF8;                     // WARNING constant-comparison
        b = x << 4 == 0xF0;
        b = x | 0x80 < 0x80;                    // WARNING constant-comparison
        b = x | 0x80 < 0x81;
        b = (b ? 8w1 : 8w6) == 7;               // WARNING constant-comparison
        b = (b ? 8w1 : 8w6) == 6;
        b = (x & 3 ^ 8) >= 12;                  // WARNING constant-comparison
        b = x & ~8w1 == 1;                      // WARNING constant-comparison
        b = l <= 15;                            // WARNING constant-comparison
        b = (bit<8>)(bit<6>)c > 63;             // WARNING constant-comparison
        b = x + 1 == 0;
        b = 8w3 == 4;
    }
}
