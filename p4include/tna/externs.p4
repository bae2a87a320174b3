/* tna/externs.p4 - the functions and objects of TNA, and those that T2NA adds. */

#ifndef _TNA_EXTERNS_P4_
#define _TNA_EXTERNS_P4_

/* ---- Functions ---- */

extern T max<T>(in T t1, in T t2);
extern T min<T>(in T t1, in T t2);
#ifdef _TNA_TOFINO_2_
extern void funnel_shift_right<T>(out T dst, in T src1, in T src2, int shift_amount);
#else
extern void funnel_shift_right<T>(inout T dst, in T src1, in T src2, int shift_amount);
#endif
extern void invalidate<T>(in T field);
extern bool is_validated<T>(in T field);
extern bit<32> sizeInBits<H>(in H h);
extern bit<32> sizeInBytes<H>(in H h);

/* ---- Parsers ---- */

extern T port_metadata_unpack<T>(packet_in pkt);    // skips PORT_METADATA_SIZE bits

extern ParserCounter {
    ParserCounter();
    void set<T>(in T value);
#ifdef _TNA_TOFINO_2_
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add);
    void push<T>(in T value, @optional bool update_with_top);
    void push<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add,
                 @optional bool update_with_top);
    void pop();
#else
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<3> mask, in bit<8> add);
#endif
    bool is_zero();
    bool is_negative();
    void increment(in bit<8> value);
    void decrement(in bit<8> value);
}

extern ParserPriority {
    ParserPriority();
    void set(in bit<3> prio);
}

/* The sum of RFC 1071. Parsers add and subtract values; deparsers compute a new sum. */
extern Checksum {
    Checksum();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bool verify();    // true if the sum is wrong
    bit<16> get();
    void subtract_all_and_deposit<T>(out T residual);
    bit<16> update<T>(in T data, @optional in bool zeros_as_ones);
}

/* ---- Numbers ---- */

extern CRCPolynomial<T> {
    CRCPolynomial(T coeff, bool reversed, bool msb, bool extended, T init, T xor);
}

extern Hash<W> {
    Hash(HashAlgorithm_t algo);
    Hash(HashAlgorithm_t algo, CRCPolynomial<_> poly);
    W get<D>(in D data);
}

extern Random<W> {
    Random();
    W get();
}

extern MathUnit<T> {
    MathUnit(bool invert, int<2> shift, int<6> scale,
             tuple<bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>,
                   bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>> data);
    MathUnit(MathOp_t op, int factor);
    MathUnit(MathOp_t op, int A, int B);
    T execute(in T x);
}

/* ---- State ---- */

extern Counter<W, I> {
#ifdef _TNA_TOFINO_2_
    Counter(@elements bit<32> size, CounterType_t type, @optional bool true_egress_accounting);
#else
    Counter(@elements bit<32> size, CounterType_t type);
#endif
    void count(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectCounter<W> {
#ifdef _TNA_TOFINO_2_
    DirectCounter(CounterType_t type, @optional bool true_egress_accounting);
#else
    DirectCounter(CounterType_t type);
#endif
    void count(@optional in bit<32> adjust_byte_count);
}

extern Meter<I> {
#ifdef _TNA_TOFINO_2_
    Meter(@elements bit<32> size, MeterType_t type, @optional bool true_egress_accounting);
    Meter(@elements bit<32> size, MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green,
          @optional bool true_egress_accounting);
#else
    Meter(@elements bit<32> size, MeterType_t type);
    Meter(@elements bit<32> size, MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green);
#endif
    bit<8> execute(in I index, in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectMeter {
#ifdef _TNA_TOFINO_2_
    DirectMeter(MeterType_t type, @optional bool true_egress_accounting);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green,
                @optional bool true_egress_accounting);
#else
    DirectMeter(MeterType_t type);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green);
#endif
    bit<8> execute(in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(@optional in bit<32> adjust_byte_count);
}

extern Lpf<T, I> {
    Lpf(@elements bit<32> size);
    T execute(in T val, in I index);
}

extern DirectLpf<T> {
    DirectLpf();
    T execute(in T val);
}

extern Wred<T, I> {
    Wred(@elements bit<32> size, bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val, in I index);
}

extern DirectWred<T> {
    DirectWred(bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val);
}

extern Register<T, I> {
    Register(@elements bit<32> size);
    Register(@elements bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
#ifdef _TNA_TOFINO_2_
    void clear(in T value, @optional in T busy);
#endif
}

extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
#ifdef _TNA_TOFINO_2_
    void clear(in T value, @optional in T busy);
#endif
}

extern RegisterParam<T> {
    RegisterParam(T initial_value);
    T read();
}

#ifdef _TNA_TOFINO_2_
extern IdleTimeout {
    IdleTimeout();
}
#endif

/* ---- Tables ---- */

extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode,
                   bit<32> max_group_size, bit<32> num_groups);
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode,
                   Register<bit<1>, _> reg, bit<32> max_group_size, bit<32> num_groups);
    @deprecated("name an ActionProfile, the largest size of a group and the number of groups")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    @deprecated("name an ActionProfile, the largest size of a group and the number of groups")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

extern SelectorAction {
    SelectorAction(ActionSelector sel);
    bit<1> execute(@optional in bit<32> index);
    @synchronous(execute)
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

/* How the chip stores a table. The entries that match are the same. */
extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

extern Alpm {
    Alpm(@optional bit<32> number_partitions, @optional bit<32> subtrees_per_partition,
         @optional bit<32> atcam_subset_width, @optional bit<32> shift_granularity);
}

/* ---- Deparsers ---- */

extern Mirror {
    @deprecated("give the value of mirror_type for which this object mirrors packets")
    Mirror();
    Mirror(MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

extern Resubmit {
    @deprecated("give the value of resubmit_type for which this object resubmits packets")
    Resubmit();
    Resubmit(ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

extern Digest<T> {
    @deprecated("give the value of digest_type for which this object sends digests")
    Digest();
    Digest(DigestType_t digest_type);
    void pack(in T data);
}

#ifdef _TNA_TOFINO_2_
extern Pktgen {
    Pktgen();
    void emit<T>(in T hdr);
}
#endif

#endif
