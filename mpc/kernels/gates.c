/* The gates of a comparison (mpc/gates.py has the arithmetic, mpc/primitives/comparison.py the
   gates). A wire w is masked by a random bit λ; the proxies know the public bit p = w xor λ and
   shares of products of the λ.

   All gates here have the same shape. Their first `spine` wires are multiplied with one another;
   every wire w has a depth d: it is needed times the first d wires of the spine. Therefore the
   table holds, for each wire in turn, a share of λ_w·λ_T for every set T of the first d wires, in
   the order of T read as a number. A wire of the spine has its own number as its depth. */

#include "vectors.h"

#define MOST_SETS 32 /* sets of a spine of five wires */

/* A share of w_0·...·w_(depth-1)·x, from the shares of x·λ_T for all sets T of these wires:
   P·w·λ_T = p·(P·λ_T) xor P·λ_(T with w), one wire after the other. */
static inline ALWAYS vec times_wires(vec *shares, const vec *p, int depth)
{
#pragma GCC unroll 5
    for (int wire = depth - 1; wire >= 0; wire--)
#pragma GCC unroll 16
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
#pragma GCC unroll 31
    for (int set = 1; set < 1 << depth; set++)
        shares[set] = load(next_row(dealt), count);
    return times_wires(shares, p, depth);
}

/* ---- Joins: groups of bits, the most significant first -----------------------------------------

   less:  lt_0 + eq_0·(lt_1 + eq_1·(... + eq_(spine-1)·lt_spine)); its wires follow the spine
   equal: eq_0·...·eq_spine; the last eq is the last wire, and what is stored first */

/* What a proxy reads for a gate: its own wires and the other's, which together are public, what it
   was dealt, and its masks; rows of `k` words. */
struct operands {
    const word *mine, *theirs, *dealt, *masks;
    size k;
};

static inline ALWAYS struct operands beyond(struct operands of, size words)
{
    return (struct operands){
        of.mine + words, of.theirs + words, of.dealt + words, of.masks + words, of.k};
}

/* The results are stored `apart` words from each other. */
static inline ALWAYS void join(int spine, int less, int equal, word constant, struct operands of,
    word *out, size apart, size count)
{
    struct rows table = {(word *)of.dealt, of.k}, own = {(word *)of.masks, of.k};
    struct rows mine = {(word *)of.mine, of.k}, theirs = {(word *)of.theirs, of.k};
    vec p[5], before[6], below = {0};

#define PUBLIC (load(next_row(&mine), count) ^ load(next_row(&theirs), count))
#define OWN load(next_row(&own), count)
    /* before[d]: a share of the product of the first d wires */
    before[0] = every(constant);
#pragma GCC unroll 5
    for (int d = 0; d < spine; d++) {
        p[d] = PUBLIC;
        before[d + 1] = (p[d] & before[d]) ^ masked(&table, OWN, p, d, count);
    }
#pragma GCC unroll 6
    for (int d = 0; less && d <= spine; d++)
        below ^= (PUBLIC & before[d]) ^ masked(&table, OWN, p, d, count);
    if (equal) {
        store(out, (PUBLIC & before[spine]) ^ masked(&table, OWN, p, spine, count), count);
        out += apart;
    }
    if (less)
        store(out, below, count);
}

/* The products of a wire's mask with those of every set of the first `depth` wires but the empty
   one, which both proxies hold already; for a wire of the spine they make further `sets`. */
static inline ALWAYS void deal_wire(vec *sets, vec mask, int depth, int in_spine,
    struct rows *out, size count)
{
#pragma GCC unroll 31
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
    vec mask[12], sets[MOST_SETS];
    int wire = 0, wires = spine + less * (spine + 1) + equal;

    /* all of them first: a load soon after a store to a row some pages away waits for it */
#pragma GCC unroll 12
    for (int w = 0; w < wires; w++)
        mask[w] = load(of_p0 + w * k, count) ^ load(of_p1 + w * k, count);
#pragma GCC unroll 5
    for (int d = 0; d < spine; d++)
        deal_wire(sets, mask[wire++], d, 1, &table, count);
#pragma GCC unroll 6
    for (int d = 0; less && d <= spine; d++)
        deal_wire(sets, mask[wire++], d, 0, &table, count);
    if (equal)
        deal_wire(sets, mask[wire++], spine, 0, &table, count);
}

/* evaluate: a share of each result, from k words of each plane of the own and the other's wires, of
   what was dealt and of the masks
   products: what the helper deals, from k words of both shares of each mask
   `constant` holds ones at P0 and zeros at P1: the share of 1. */
#define JOIN(name, spine, less, equal)                                                           \
    void name##_evaluate(word constant, const word *mine, const word *theirs, const word *dealt, \
        const word *masks, word *out, size k)                                                    \
    {                                                                                            \
        const struct operands of = {mine, theirs, dealt, masks, k};                              \
        FOR_EACH_VECTOR(k, join(spine, less, equal, constant, beyond(of, c), out + c, k, count)); \
    }                                                                                            \
    void name##_products(const word *of_p0, const word *of_p1, word *out, size k)                \
    {                                                                                            \
        FOR_EACH_VECTOR(k, deal_join(spine, less, equal, of_p0 + c, of_p1 + c, out + c, k, count)); \
    }

JOIN(join_two_less, 1, 1, 0)
JOIN(join_four_less_equal, 3, 1, 1)
JOIN(join_four_less, 3, 1, 0)
JOIN(join_four_equal, 3, 0, 1)

/* ---- From the values of a layer to the wires of the next ---------------------------------------

   Values of four rows become four wires: a transpose gives each a row of its own, and masks hide
   them. The values stay in the processor's inner cache: so many words of each row at a time. */

#define CHUNK 512

typedef word values_of_four[4][CHUNK];

/* The wires of a layer: `first` to first + 2 from the last row on, and `last` unless below 0;
   planes of `plane` words. */
static inline ALWAYS void turn(values_of_four values, size at, int unit, const word *masks,
    word *wires, size plane, int first, int last, size count)
{
    vec moved[4];
    for (int row = 0; row < 4; row++)
        moved[row] = load(values[row] + at, count);
    transpose_four(moved, unit);
    for (int place = 0; place < 4; place++) {
        int wire = place < 3 ? first + place : last;
        if (wire >= 0)
            store(wires + wire * plane, moved[3 - place] ^ load(masks + wire * plane, count), count);
    }
}

/* The wires eq1, lt1, lt0 of the lower and of the upper numbers of the words: six planes. */
static inline ALWAYS void turn_pair(values_of_four *values, size at, const word *masks, word *wires,
    size plane, size count)
{
    vec equal[4], less[4];
    for (int row = 0; row < 4; row++) {
        equal[row] = load(values[0][row] + at, count);
        less[row] = load(values[1][row] + at, count);
    }
    transpose_four(equal, 16);
    transpose_four(less, 16);
    const vec six[] = {equal[1], equal[3], less[1], less[3], less[0], less[2]};
    for (int wire = 0; wire < 6; wire++)
        store(wires + wire * plane, six[wire] ^ load(masks + wire * plane, count), count);
}

/* `wires`, n words of each plane: of all 3, of 4 (equal alone), or of 7 or 8. */
static inline ALWAYS void turn_all(int less, values_of_four *values, int unit, const word *masks,
    word *wires, size plane, int count_of_wires, size n)
{
    if (less && count_of_wires == 3)
        FOR_EACH_VECTOR(n, turn_pair(values, c, masks + c, wires + c, plane, count));
    else if (less) {
        const int last = count_of_wires == 8 ? 7 : -1;
        FOR_EACH_VECTOR(n, turn(values[0], c, unit, masks + c, wires + c, plane, 0, last, count));
        FOR_EACH_VECTOR(n, turn(values[1], c, unit, masks + c, wires + c, plane, 3, 6, count));
    } else
        FOR_EACH_VECTOR(n, turn(values[0], c, unit, masks + c, wires + c, plane, 0, 3, count));
}

/* to_wires: of four groups, the wires of the last layer, planes of m words, under `next` masks */
#define JOIN_TO_WIRES(name, spine, less)                                                         \
    void name##_to_wires(word constant, const word *mine, const word *theirs, const word *dealt, \
        const word *masks, const word *next, word *wires, int count_of_wires, size m)            \
    {                                                                                            \
        const struct operands of = {mine, theirs, dealt, masks, 4 * m};                          \
        values_of_four values[1 + less];                                                         \
        for (size start = 0; start < m; start += CHUNK) {                                        \
            const size n = m - start < CHUNK ? m - start : CHUNK;                                \
            for (int group = 0; group < 4; group++)                                              \
                FOR_EACH_VECTOR(n, join(spine, less, 1, constant,                                \
                    beyond(of, group * m + start + c), values[0][group] + c, 4 * CHUNK, count)); \
            turn_all(less, values, 16, next + start, wires + start, m, count_of_wires, n);       \
        }                                                                                        \
    }

JOIN_TO_WIRES(join_four_less_equal, 3, 1)
JOIN_TO_WIRES(join_four_equal, 3, 0)

/* ---- Nibbles: four bits of z and of the helper's r, the most significant first -----------------

   A wire is the bit's [z = r], so that its public bit is the complement of z's, and λ the bit of r;
   z < r at this bit if z is 0 and r is 1: p·λ. The masks are the helper's alone and dealt too.
   z and r are whole words, of which the bits in `mask` count: 64 rows of m words, four of which
   hold sixteen nibbles of their elements, and become a row of each result. */

static inline ALWAYS void load_nibbles(vec *bits, const word *words, word mask, size m, size count)
{
    vec rows[4];
    for (int row = 0; row < 4; row++)
        rows[row] = load(words + row * m, count) & mask;
    transpose_four(rows, 1);
    for (int bit = 0; bit < 4; bit++)
        bits[bit] = rows[3 - bit];
}

/* The results are stored `apart` words from each other. */
static inline ALWAYS void compare_nibbles(int less, word constant, word mask, const word *words,
    const word *dealt, word *out, size apart, size m, size count)
{
    struct rows table = {(word *)dealt, 16 * m};
    vec bits[4], p[4], equal = every(constant), below = {0};

    load_nibbles(bits, words, mask, m, count);
#pragma GCC unroll 4
    for (int d = 0; d < 4; d++) {
        p[d] = ~bits[d];
        vec product = masked(&table, load(next_row(&table), count), p, d, count);
        equal = (p[d] & equal) ^ product;
        below ^= p[d] & product;
    }
    store(out, equal, count);
    if (less)
        store(out + apart, below, count);
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

/* Planes are so far apart that they share places of the cache: lines are stored in pairs. */
#define PAIR 2

static inline ALWAYS void deal_nibbles(word mask, const word *words, word *out, size m, size vecs,
    size count)
{
    vec pairs[16][PAIR];
    for (size v = 0; v < vecs; v++, words += LANES) {
        vec bits[4], sets[16];
        load_nibbles(bits, words, mask, m, count);
#pragma GCC unroll 4
        for (int d = 0; d < 4; d++) {
            sets[1 << d] = bits[d];
#pragma GCC unroll 8
            for (int set = 1; set < 1 << d; set++)
                sets[set + (1 << d)] = sets[set] & bits[d];
        }
#pragma GCC unroll 15
        for (int set = 1; set < 16; set++)
            pairs[set][v] = sets[set];
    }
    for (int set = 1; set < 16; set++)
        memcpy(out + (set - 1) * 16 * m, pairs[set], sizeof(word) * vecs * count);
}

static void products_of_nibbles(word mask, int numbers, const word *of_p0, const word *of_p1,
    word *words, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, out += m) {
        if (of_p0) {
            add_up(numbers, of_p0, of_p1, words, 4 * m);
            of_p0 += 4 * m, of_p1 += 4 * m;
        }
        size c = 0;
        for (; c + PAIR * LANES <= m; c += PAIR * LANES)
            deal_nibbles(mask, words + c, out + c, m, PAIR, LANES);
        for (; c + LANES <= m; c += LANES)
            deal_nibbles(mask, words + c, out + c, m, 1, LANES);
        if (c < m)
            deal_nibbles(mask, words + c, out + c, m, 1, m - c);
    }
}

/* on_nibbles: a share of each result
   to_wires: the same of z, as the wires of four groups under `masks`, planes of 4 m words
   products_of_nibbles: what the helper deals, of its words r
   The words become the sums of what both proxies sent, or drew, if that is given. */
#define NIBBLES(name, less)                                                                     \
    void name##_on_nibbles(word constant, word mask, const word *words, const word *dealt,      \
        word *out, size m)                                                                      \
    {                                                                                           \
        for (int row = 0; row < 16; row++, words += 4 * m, dealt += m, out += m)                \
            FOR_EACH_VECTOR(m, compare_nibbles(less, constant, mask, words + c, dealt + c,      \
                out + c, 16 * m, m, count));                                                    \
    }                                                                                           \
    void name##_to_wires(word constant, word mask, int numbers, const word *mine,               \
        const word *theirs, const word *dealt, const word *masks, word *z, word *wires,         \
        int count_of_wires, size m)                                                             \
    {                                                                                           \
        values_of_four values[1 + less];                                                        \
        for (size start = 0; start < 4 * m;) {                                                  \
            const size group = start / m, at = start % m, n = m - at < CHUNK ? m - at : CHUNK;  \
            for (int row = 0; row < 4; row++) {                                                 \
                const size first = (16 * group + 4 * row) * m + at;                             \
                const word *read = z + first, *share = dealt + (4 * group + row) * m + at;      \
                for (size of = first; mine && of < first + 4 * m; of += m)                      \
                    add_up(numbers, mine + of, theirs + of, z + of, n);                         \
                FOR_EACH_VECTOR(n, compare_nibbles(less, constant, mask, read + c, share + c,   \
                    values[0][row] + c, 4 * CHUNK, m, count));                                  \
            }                                                                                   \
            turn_all(less, values, 4, masks + start, wires + start, 4 * m, count_of_wires, n);  \
            start += n;                                                                         \
        }                                                                                       \
    }                                                                                           \
    void name##_products_of_nibbles(word mask, int numbers, const word *of_p0,                  \
        const word *of_p1, word *words, word *out, size m)                                      \
    {                                                                                           \
        products_of_nibbles(mask, numbers, of_p0, of_p1, words, out, m);                        \
    }

NIBBLES(nibbles_less_equal, 1)
NIBBLES(nibbles_equal, 0)
