// The least there is: no include, no package.
const bit<8> ONE = 1;
