/* The gates of a comparison (mpc/gates.py has the arithmetic, mpc/comparison_tree.py the gates). A
   wire w is masked by a random bit λ; the proxies know the public bit p = w xor λ and
   shares of products of the λ.

   All gates here have the same shape. Their first `spine` wires are multiplied with one another;
   every wire w has a depth d: it is needed times the first d wires of the spine. Therefore the
   table holds, for each wire in turn, a share of λ_w·λ_T for every set T of the first d wires, in
   the order of T read as a number. A wire of the spine has its own number as its depth. */

#include "vectors.h"

#define MOST_BITS 4  /* bits of a digit, as in mpc/comparison_tree.py */
#define MOST_SETS 16 /* sets of a spine of four wires */

/* A share of w_0·...·w_(depth-1)·x, from the shares of x·λ_T for all sets T of these wires:
   P·w·λ_T = p·(P·λ_T) xor P·λ_(T with w), one wire after the other. */
static inline ALWAYS vec times_wires(vec *shares, const vec *p, int depth)
{
#pragma GCC unroll 4
    for (int wire = depth - 1; wire >= 0; wire--)
#pragma GCC unroll 8
        for (int set = 0; set < 1 << wire; set++)
            shares[set] = (p[wire] & shares[set]) ^ shares[set + (1 << wire)];
    return shares[0];
}

/* The rows of a table, read or written from the first to the last. */
struct rows {
    word *next;
    size apart;
};

static inline ALWAYS word *next_row(struct rows *rows)
{
    word *row = rows->next;
    rows->next += rows->apart;
    return row;
}

/* A share of λ_w times the first `depth` wires. Its own share of λ_w a proxy has drawn itself. */
static inline ALWAYS vec masked(struct rows *dealt, vec own, const vec *p, int depth, size count)
{
    vec shares[MOST_SETS];
    shares[0] = own;
#pragma GCC unroll 15
    for (int set = 1; set < 1 << depth; set++)
        shares[set] = load(next_row(dealt), count);
    return times_wires(shares, p, depth);
}

/* So many words of each row at a time, where something is kept of them in the inner cache. */
#define CHUNK 256

/* ---- Joins: groups of bits, the most significant first -----------------------------------------

   less:  lt_0 + eq_0·(lt_1 + eq_1·(... + eq_(spine-1)·lt_spine)); lt_0 is an addend, of which the
          proxies have shares, the others are wires and follow the spine
   equal: eq_0·...·eq_spine; the last eq is the last wire */

/* What a proxy reads for a gate: its own wires and the other's, which together are public, what it
   was dealt, its masks, and the addend; rows that begin `k` words after each other. */
struct operands {
    const word *mine, *theirs, *dealt, *masks, *addend;
    size k;
};

static inline ALWAYS struct operands beyond(struct operands of, size words)
{
    return (struct operands){of.mine + words, of.theirs + words, of.dealt + words,
        of.masks + words, of.addend + words, of.k};
}

/* The wires of a gate, and the rows that a table holds for them. */
#define WIRES(spine, less, equal) ((spine) + (less) * (spine) + (equal))
#define ROWS(spine, less, equal)                                                               \
    ((1 << (spine)) - 1 - (spine) + (less) * ((2 << (spine)) - 2 - (spine))                    \
        + (equal) * ((1 << (spine)) - 1))

struct values {
    vec equal, less;
};

static inline ALWAYS struct values join(
    int spine, int less, int equal, word constant, struct operands of, size count)
{
    struct rows table = {(word *)of.dealt, of.k}, own = {(word *)of.masks, of.k};
    struct rows mine = {(word *)of.mine, of.k}, theirs = {(word *)of.theirs, of.k};
    struct values values = {{0}, {0}};
    vec p[4], before[5];

#define PUBLIC (load(next_row(&mine), count) ^ load(next_row(&theirs), count))
#define OWN load(next_row(&own), count)
    /* before[d]: a share of the product of the first d wires */
    before[0] = every(constant);
#pragma GCC unroll 4
    for (int d = 0; d < spine; d++) {
        p[d] = PUBLIC;
        before[d + 1] = (p[d] & before[d]) ^ masked(&table, OWN, p, d, count);
    }
    if (less)
        values.less = load(of.addend, count);
#pragma GCC unroll 4
    for (int d = 1; less && d <= spine; d++)
        values.less ^= (PUBLIC & before[d]) ^ masked(&table, OWN, p, d, count);
    if (equal)
        values.equal = (PUBLIC & before[spine]) ^ masked(&table, OWN, p, spine, count);
    return values;
}

/* The products of a wire's mask with those of every set of the first `depth` wires but the empty
   one, which both proxies hold already; for a wire of the spine they make further `sets`. */
static inline ALWAYS void deal_wire(vec *sets, vec mask, int depth, int in_spine,
    struct rows *out, size count)
{
#pragma GCC unroll 15
    for (int set = 1; set < 1 << depth; set++) {
        vec product = sets[set] & mask;
        store(next_row(out), product, count);
        if (in_spine)
            sets[set + (1 << depth)] = product;
    }
    if (in_spine)
        sets[1 << depth] = mask;
}

static inline ALWAYS void deal_join(int spine, int less, int equal, const word *of_p0,
    const word *of_p1, word *out, size k, size count)
{
    struct rows table = {out, k};
    const int wires = WIRES(spine, less, equal);
    vec mask[9], sets[MOST_SETS];

    /* all of them first: a load soon after a store to a row some pages away waits for it */
#pragma GCC unroll 9
    for (int w = 0; w < wires; w++)
        mask[w] = load(of_p0 + w * k, count) ^ load(of_p1 + w * k, count);
#pragma GCC unroll 4
    for (int d = 0; d < spine; d++)
        deal_wire(sets, mask[d], d, 1, &table, count);
#pragma GCC unroll 4
    for (int d = 1; less && d <= spine; d++)
        deal_wire(sets, mask[spine + d - 1], d, 0, &table, count);
    if (equal)
        deal_wire(sets, mask[wires - 1], spine, 0, &table, count);
}

/* ---- Layers of the tree of a comparison (mpc/comparison_tree.py) --------------------------------

   Rows of m words hold the values of a layer. A value goes to the row `place` of the next layer's
   wires, beneath that row's mask; to the row -1 - place of what is kept, if that is negative; the
   equality of the lowest digit nowhere. `constant` holds ones at P0 and zeros at P1: the share of
   the constant 1. */

#define NOWHERE (-((int64_t)1 << 32))

struct next {
    const word *masks;
    word *wires, *kept;
    const int64_t *places;
    size m;
};

static inline ALWAYS void put(struct next next, int64_t place, size at, vec value, size count)
{
    if (place >= 0) {
        const size to = place * next.m + at;
        store(next.wires + to, value ^ load(next.masks + to, count), count);
    } else if (place > NOWHERE)
        store(next.kept + (-1 - place) * next.m + at, value, count);
}

#define PUT_JOINED(less_too, equal_too)                                                         \
    FOR_EACH_VECTOR(next.m, {                                                                   \
        const struct values values                                                              \
            = join(spine, less_too, equal_too, constant, beyond(of, c), count);                 \
        if (equal_too)                                                                          \
            put(next, next.places[0], c, values.equal, count);                                  \
        if (less_too)                                                                           \
            put(next, next.places[1], c, values.less, count);                                   \
    })

/* join_layer_of: the values of a layer, of each number its groups, put into the next one
   products_of_layer_of: what the helper deals for it */
#define LAYER(name, arity, less)                                                                \
    void join_layer_of_##name(word constant, int groups, int numbers, const word *mine,         \
        const word *theirs, const word *dealt, const word *masks, const word *addends,          \
        const word *next_masks, word *wires, word *kept, const int64_t *places, size m)         \
    {                                                                                           \
        enum { spine = arity - 1 };                                                             \
        struct operands of = {mine, theirs, dealt, masks, addends, m};                          \
        struct next next = {next_masks, wires, kept, places, m};                                \
        for (int group = 0; group < numbers * groups; group++) {                                \
            const int equal = !less || group % groups > 0;                                      \
            if (equal)                                                                          \
                PUT_JOINED(less, 1);                                                            \
            else                                                                                \
                PUT_JOINED(1, 0);                                                               \
            const size wired = WIRES(spine, less, equal) * m;                                   \
            of.mine += wired, of.theirs += wired, of.masks += wired, of.addend += m;            \
            of.dealt += ROWS(spine, less, equal) * m;                                           \
            next.places += 2;                                                                   \
        }                                                                                       \
    }                                                                                           \
    void products_of_layer_of_##name(int groups, int numbers, const word *of_p0,                \
        const word *of_p1, word *out, size m)                                                   \
    {                                                                                           \
        enum { spine = arity - 1 };                                                             \
        for (int group = 0; group < numbers * groups; group++) {                                \
            const int equal = !less || group % groups > 0;                                      \
            if (equal)                                                                          \
                FOR_EACH_VECTOR(m, deal_join(spine, less, 1, of_p0 + c, of_p1 + c, out + c, m,  \
                    count));                                                                    \
            else                                                                                \
                FOR_EACH_VECTOR(m, deal_join(spine, 1, 0, of_p0 + c, of_p1 + c, out + c, m,     \
                    count));                                                                    \
            of_p0 += WIRES(spine, less, equal) * m, of_p1 += WIRES(spine, less, equal) * m;     \
            out += ROWS(spine, less, equal) * m;                                                \
        }                                                                                       \
    }

LAYER(two_less, 2, 1)
LAYER(three_less, 3, 1)
LAYER(four_less, 4, 1)
LAYER(five_less, 5, 1)
LAYER(two_equal, 2, 0)
LAYER(three_equal, 3, 0)
LAYER(four_equal, 4, 0)
LAYER(five_equal, 5, 0)

/* ---- Digits: a few bits of z and of the helper's r, the most significant first ------------------

   A wire is the bit's [z = r], so that its public bit is the complement of z's, and λ the bit of r;
   z < r at this bit if z is 0 and r is 1: p·λ. The masks are the helper's alone and dealt too.
   z and r are 64 rows of m words of so many numbers. `ranges` says of each digit from which bit of a
   word up to which other one it goes. */

/* Planes of so many words begin in different places of the cache. */
#define APART (CHUNK + LANES)

static inline ALWAYS struct values compare_digit(
    int bits, int less, word constant, const word *lowest, struct rows table, size count)
{
    vec p[MOST_BITS];
    struct values values = {every(constant), {0}};
#pragma GCC unroll 4
    for (int d = 0; d < bits; d++) {
        p[d] = ~load(lowest + (bits - 1 - d) * APART, count);
        const vec product = masked(&table, load(next_row(&table), count), p, d, count);
        values.equal = (p[d] & values.equal) ^ product;
        if (less)
            values.less ^= p[d] & product;
    }
    return values;
}

static inline ALWAYS void deal_digit(int bits, const word *lowest, struct rows table, size count)
{
    vec sets[1 << MOST_BITS];
#pragma GCC unroll 4
    for (int d = 0; d < bits; d++) {
        sets[1 << d] = load(lowest + (bits - 1 - d) * APART, count);
#pragma GCC unroll 7
        for (int set = 1; set < 1 << d; set++)
            sets[set + (1 << d)] = sets[set] & sets[1 << d];
    }
#pragma GCC unroll 15
    for (int set = 1; set < 1 << bits; set++)
        store(next_row(&table), sets[set], count);
}

/* `work` with this number of bits as a constant */
#define WITH_BITS(bits, work)                       \
    switch (bits) {                                 \
    case 0: { enum { BITS = 0 }; work; break; }     \
    case 1: { enum { BITS = 1 }; work; break; }     \
    case 2: { enum { BITS = 2 }; work; break; }     \
    case 3: { enum { BITS = 3 }; work; break; }     \
    case 4: { enum { BITS = 4 }; work; break; }     \
    }

static inline ALWAYS void transpose_sixteen(word *rows, size count)
{
    vec moved[16];
    for (int row = 0; row < 16; row++)
        moved[row] = load(rows + row * APART, count);
#pragma GCC unroll 4
    for (int four = 0; four < 4; four++)
        transpose_four(moved + 4 * four, 1, 1);
#pragma GCC unroll 4
    for (int place = 0; place < 4; place++)
        transpose_four(moved + place, 4, 4);
    for (int row = 0; row < 16; row++)
        store(rows + row * APART, moved[row], count);
}

static inline ALWAYS void transpose_sixteenth(word *rows, size count)
{
    vec moved[4];
#pragma GCC unroll 4
    for (int four = 0; four < 4; four++)
        moved[four] = load(rows + 16 * four * APART, count);
    transpose_four(moved, 1, 16);
#pragma GCC unroll 4
    for (int four = 0; four < 4; four++)
        store(rows + 16 * four * APART, moved[four], count);
}

/* sums: of n words, so many numbers each, soon before they are read */
static void add_up(int numbers, const word *one, const word *other, word *sums, size n)
{
    if (numbers == 1)
        FOR_EACH_VECTOR(n,
            store(sums + c, sum(1, load(one + c, count), load(other + c, count)), count));
    else
        FOR_EACH_VECTOR(n,
            store(sums + c, sum(2, load(one + c, count), load(other + c, count)), count));
}

/* The planes of n words of each row of z, which becomes the sums of what both proxies sent, or
   drew, if that is given. */
static void planes_of(word planes[64][APART], int numbers, const word *mine, const word *theirs,
    word *z, size m, size at, size n)
{
    for (int row = 0; row < 64; row++, at += m) {
        if (mine)
            add_up(numbers, mine + at, theirs + at, z + at, n);
        memcpy(planes[row], z + at, sizeof(word) * n);
    }
    for (int row = 0; row < 64; row += 16)
        FOR_EACH_VECTOR(n, transpose_sixteen(planes[row] + c, count));
    for (int row = 0; row < 16; row++)
        FOR_EACH_VECTOR(n, transpose_sixteenth(planes[row] + c, count));
}

/* `work` with the number of BITS of each digit, whose `lowest` plane is this one */
#define FOR_EACH_DIGIT(work)                                    \
    for (int digit = 0; digit < digits; digit++) {              \
        const int64_t first = ranges[2 * digit];                \
        const word *lowest = planes[first];                     \
        WITH_BITS(ranges[2 * digit + 1] - first, work)          \
    }

static inline ALWAYS void put_digits(int less, word constant, int digits, const int64_t *ranges,
    int numbers, const word *mine, const word *theirs, const word *dealt, word *z, struct next next)
{
    const size m = next.m;
    word planes[64][APART];
    for (size at = 0; at < m; at += CHUNK) {
        const size n = m - at < CHUNK ? m - at : CHUNK;
        planes_of(planes, numbers, mine, theirs, z, m, at, n);
        const word *table = dealt + at;
        const int64_t *places = next.places;
        FOR_EACH_DIGIT({
            FOR_EACH_VECTOR(n, {
                const struct values values = compare_digit(BITS, less, constant, lowest + c,
                    (struct rows){(word *)table + c, m}, count);
                put(next, places[0], at + c, values.equal, count);
                if (less)
                    put(next, places[1], at + c, values.less, count);
            });
            table += ((1 << BITS) - 1) * m;
            places += 2;
        })
    }
}

/* less_of_digits, equality_of_digits: the values of all digits of z, put into the first layer
   products_of_digits: what the helper deals, of its words r
   z or r becomes the sums of what both proxies sent, or drew, if that is given. */
#define DIGITS(name, less)                                                                      \
    void name##_of_digits(word constant, int digits, const int64_t *ranges, int numbers,        \
        const word *mine, const word *theirs, const word *dealt, word *z, const word *masks,    \
        word *wires, word *kept, const int64_t *places, size m)                                 \
    {                                                                                           \
        const struct next next = {masks, wires, kept, places, m};                               \
        put_digits(less, constant, digits, ranges, numbers, mine, theirs, dealt, z, next);      \
    }

DIGITS(less, 1)
DIGITS(equality, 0)

void products_of_digits(int digits, const int64_t *ranges, int numbers, const word *of_p0,
    const word *of_p1, word *r, word *out, size m)
{
    word planes[64][APART];
    for (size at = 0; at < m; at += CHUNK) {
        const size n = m - at < CHUNK ? m - at : CHUNK;
        planes_of(planes, numbers, of_p0, of_p1, r, m, at, n);
        word *table = out + at;
        FOR_EACH_DIGIT({
            FOR_EACH_VECTOR(n,
                deal_digit(BITS, lowest + c, (struct rows){table + c, m}, count));
            table += ((1 << BITS) - 1) * m;
        })
    }
}
