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

/* So many words of each row at a time, where something is kept of them in the inner cache. */
#define CHUNK 512

/* ---- Joins: groups of bits, the most significant first -----------------------------------------

   less:  lt_0 + eq_0·(lt_1 + eq_1·(... + eq_(spine-1)·lt_spine)); lt_0 is an addend, of which the
          proxies have shares, the others are wires and follow the spine
   equal: eq_0·...·eq_spine; the last eq is the last wire, and what is stored first */

/* What a proxy reads for a gate: its own wires and the other's, which together are public, what it
   was dealt, and its masks; rows that begin `k` words after each other. */
struct operands {
    const word *mine, *theirs, *dealt, *masks;
    size k;
};

static inline ALWAYS struct operands beyond(struct operands of, size words)
{
    return (struct operands){
        of.mine + words, of.theirs + words, of.dealt + words, of.masks + words, of.k};
}

/* The wires of a gate up to the last eq, and the rows that a table holds for them. */
#define WIRES(spine, less) ((spine) + (less) * (spine))
#define ROWS(spine, less) \
    ((1 << (spine)) - 1 - (spine) + (less) * ((2 << (spine)) - 2 - (spine)))

/* The last eq of a gate: of rows `k` apart that follow those of all other wires. */
static inline ALWAYS struct operands last_equal(int spine, int less, struct operands of, size k)
{
    const size wires = WIRES(spine, less) * of.k, rows = ROWS(spine, less) * of.k;
    return (struct operands){
        of.mine + wires, of.theirs + wires, of.dealt + rows, of.masks + wires, k};
}

/* ---- Folded planes of the last eq (`fold` in mpc/bits.py) ---------------------------------------

   The lowest group of a number is asked whether it is less, and not whether it is equal. Its bits
   in a plane of four rows hold the other groups of the fourth row, or where words hold two numbers
   those of each second row, so that three rows of m words are left of four, or two. */

enum fold {
    AS_IT_STANDS,     /* the row has its own bits, but for the lowest group */
    LOWEST_OF_THREE,  /* its three groups are the lowest of the three other rows */
    ABOVE_THE_LOWEST, /* its groups are the lowest ones of the row before, one group lower */
};

#define LOWEST(numbers) ((word)((numbers) == 1 ? 0xffffu : 0x0000ffff0000ffffu))

/* How a row of the four is read, and from which folded row on. */
static inline ALWAYS enum fold fold_of(int numbers, int row)
{
    return numbers == 1 ? row == 3 ? LOWEST_OF_THREE : AS_IT_STANDS
                        : row & 1 ? ABOVE_THE_LOWEST : AS_IT_STANDS;
}

static inline ALWAYS int folded_row(int numbers, int row)
{
    return numbers == 1 ? row % 3 : row / 2;
}

/* The four rows such that those that lie in the bits of others come before these. */
static inline ALWAYS int row_in_turn(int numbers, int turn)
{
    return numbers == 1 ? (turn + 3) % 4 : turn ^ 1;
}

static inline ALWAYS vec unfolded(enum fold fold, const word *row, size m, size count)
{
    const word low = LOWEST(1);
    if (fold == LOWEST_OF_THREE)
        return (load(row, count) & low) << 16 | (load(row + m, count) & low) << 32
            | load(row + 2 * m, count) << 48;
    return fold == AS_IT_STANDS ? load(row, count) : load(row, count) << 16;
}

/* A row of the last eq, where `fold`, `m` and `count` say how it is read. */
#define LAST(row) unfolded(fold, row, m, count)

/* A folded row: of this row, and of the one that lies in its bits. */
static inline ALWAYS vec folded(int numbers, int row, vec own, vec other)
{
    const int shift = numbers == 1 ? 16 * (row + 1) : 16;
    return (own & ~LOWEST(numbers)) | (other >> shift & LOWEST(numbers));
}

/* The results are stored `apart` words from each other. The last eq is read from rows of m words
   that are folded, or stand as they are. */
static inline ALWAYS void join(int spine, int less, int equal, enum fold fold, word constant,
    struct operands of, struct operands last, size m, const word *addend, word *out, size apart,
    size count)
{
    struct rows table = {(word *)of.dealt, of.k}, own = {(word *)of.masks, of.k};
    struct rows mine = {(word *)of.mine, of.k}, theirs = {(word *)of.theirs, of.k};
    vec p[5], before[6];

#define PUBLIC (load(next_row(&mine), count) ^ load(next_row(&theirs), count))
#define OWN load(next_row(&own), count)
    /* before[d]: a share of the product of the first d wires */
    before[0] = every(constant);
#pragma GCC unroll 5
    for (int d = 0; d < spine; d++) {
        p[d] = PUBLIC;
        before[d + 1] = (p[d] & before[d]) ^ masked(&table, OWN, p, d, count);
    }
    vec below = less ? load(addend, count) : before[0];
#pragma GCC unroll 5
    for (int d = 1; less && d <= spine; d++)
        below ^= (PUBLIC & before[d]) ^ masked(&table, OWN, p, d, count);
    if (equal) {
        vec shares[MOST_SETS] = {LAST(last.masks)};
#pragma GCC unroll 31
        for (int set = 1; set < 1 << spine; set++)
            shares[set] = LAST(last.dealt + (set - 1) * last.k);
        const vec public = LAST(last.mine) ^ LAST(last.theirs);
        store(out, (public & before[spine]) ^ times_wires(shares, p, spine), count);
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

/* The products for a join but those of its last eq, and `sets`: the products of the spine's masks. */
static inline ALWAYS void deal_join(int spine, int less, const word *of_p0, const word *of_p1,
    word *out, vec *sets, size k, size count)
{
    struct rows table = {out, k};
    const int wires = WIRES(spine, less);
    vec mask[10];

    /* all of them first: a load soon after a store to a row some pages away waits for it */
#pragma GCC unroll 10
    for (int w = 0; w < wires; w++)
        mask[w] = load(of_p0 + w * k, count) ^ load(of_p1 + w * k, count);
#pragma GCC unroll 5
    for (int d = 0; d < spine; d++)
        deal_wire(sets, mask[d], d, 1, &table, count);
#pragma GCC unroll 5
    for (int d = 1; less && d <= spine; d++)
        deal_wire(sets, mask[spine + d - 1], d, 0, &table, count);
}

static inline ALWAYS void deal_all(int spine, int less, int equal, const word *of_p0,
    const word *of_p1, word *out, size k, size count)
{
    vec sets[MOST_SETS];
    deal_join(spine, less, of_p0, of_p1, out, sets, k, count);
    if (equal) {
        const size last = WIRES(spine, less) * k;
        struct rows table = {out + ROWS(spine, less) * k, k};
        deal_wire(sets, load(of_p0 + last, count) ^ load(of_p1 + last, count), spine, 0, &table,
            count);
    }
}

/* evaluate: a share of each result, from k words of each plane of the own and the other's wires, of
   what was dealt and of the masks
   products: what the helper deals, from k words of both shares of each mask
   `constant` holds ones at P0 and zeros at P1: the share of 1. */
#define JOIN(name, spine, less, equal)                                                           \
    void name##_evaluate(word constant, const word *mine, const word *theirs, const word *dealt, \
        const word *masks, const word *addend, word *out, size k)                                \
    {                                                                                            \
        const struct operands of = {mine, theirs, dealt, masks, k};                              \
        const struct operands last = last_equal(spine, less, of, k);                             \
        FOR_EACH_VECTOR(k, join(spine, less, equal, AS_IT_STANDS, constant, beyond(of, c),       \
            beyond(last, c), k, addend + c, out + c, k, count));                                 \
    }                                                                                            \
    void name##_products(const word *of_p0, const word *of_p1, word *out, size k)                \
    {                                                                                            \
        FOR_EACH_VECTOR(k,                                                                       \
            deal_all(spine, less, equal, of_p0 + c, of_p1 + c, out + c, k, count));              \
    }

JOIN(join_two_less, 1, 1, 0)
JOIN(join_four_less_equal, 3, 1, 1)
JOIN(join_four_less, 3, 1, 0)
JOIN(join_four_equal, 3, 0, 1)

#define SETS 7 /* of a spine of three wires, but for the empty one */

typedef word products_of_spine[SETS][CHUNK];

/* The products for one row of the four: of its last eq, those that lie in the bits of others are
   left in `put_in`, and those of other rows take it up. */
static inline ALWAYS void deal_row(enum fold fold, int numbers, int row, const word *of_p0,
    const word *of_p1, word *out, const word *last_of_p0, const word *last_of_p1, word *last_out,
    products_of_spine put_in, size at, size m, size count)
{
    const size apart = (numbers == 1 ? 3 : 2) * m;
    vec sets[MOST_SETS];
    deal_join(3, 1, of_p0, of_p1, out, sets, 4 * m, count);
    const vec mask = LAST(last_of_p0) ^ LAST(last_of_p1);
#pragma GCC unroll 7
    for (int set = 1; set <= SETS; set++) {
        const vec product = sets[set] & mask;
        if (fold == AS_IT_STANDS)
            store(last_out + (set - 1) * apart,
                folded(numbers, row, product, load(put_in[set - 1] + at, count)), count);
        else
            store(put_in[set - 1] + at, product, count);
    }
}

/* `products` for four rows of m words of each plane, of which those of the last eq are folded */
void join_four_less_equal_products_folded(int numbers, const word *of_p0, const word *of_p1,
    word *out, size m)
{
    const size last = WIRES(3, 1) * 4 * m;
    word *const last_out = out + ROWS(3, 1) * 4 * m;
    products_of_spine put_in;
    for (size start = 0; start < m; start += CHUNK) {
        const size n = m - start < CHUNK ? m - start : CHUNK;
        for (int turn = 0; turn < 4; turn++) {
            const int row = row_in_turn(numbers, turn);
            const size first = row * m + start, of_last = folded_row(numbers, row) * m + start;
#define DEAL_ROW(fold)                                                                          \
    FOR_EACH_VECTOR(n, deal_row(fold, numbers, row, of_p0 + first + c, of_p1 + first + c,       \
        out + first + c, of_p0 + last + of_last + c, of_p1 + last + of_last + c,                \
        last_out + of_last + c, put_in, c, m, count))
            switch (fold_of(numbers, row)) {
            case AS_IT_STANDS: DEAL_ROW(AS_IT_STANDS); break;
            case LOWEST_OF_THREE: DEAL_ROW(LOWEST_OF_THREE); break;
            case ABOVE_THE_LOWEST: DEAL_ROW(ABOVE_THE_LOWEST); break;
            }
        }
    }
}

/* ---- From the values of a layer to the wires of the next ---------------------------------------

   Values of four rows become four wires: a transpose gives each a row of its own, and masks hide
   them, but for what is an addend of the next layer, which stays. The values are kept in the
   processor's inner cache. */

typedef word values_of_four[4][CHUNK];

/* Three wires from the place `first` on, planes of `plane` words; the fourth value is returned. */
static inline ALWAYS vec turn(values_of_four values, size at, int unit, int first,
    const word *masks, word *wires, size plane, size count)
{
    vec moved[4];
    for (int row = 0; row < 4; row++)
        moved[row] = load(values[row] + at, count);
    transpose_four(moved, unit);
    for (int wire = 0; wire < 3; wire++)
        store(wires + wire * plane, moved[3 - first - wire] ^ load(masks + wire * plane, count),
            count);
    return moved[first == 0 ? 0 : 3];
}

/* eq3, eq2, eq1 and lt2, lt1, lt0, and lt3 as an addend; eq0 is returned. */
static inline ALWAYS vec turn_both(values_of_four *values, size at, int unit, const word *masks,
    word *wires, word *addend, size plane, size count)
{
    const vec lowest = turn(values[0], at, unit, 0, masks, wires, plane, count);
    const size three = 3 * plane;
    store(addend, turn(values[1], at, unit, 1, masks + three, wires + three, plane, count), count);
    return lowest;
}

/* eq1 and lt0 of the lower and of the upper numbers of the words, four planes; lt1 as addends. */
static inline ALWAYS void turn_pair(values_of_four *values, size at, const word *masks, word *wires,
    word *addends, size plane, size count)
{
    vec equal[4], less[4];
    for (int row = 0; row < 4; row++) {
        equal[row] = load(values[0][row] + at, count);
        less[row] = load(values[1][row] + at, count);
    }
    transpose_four(equal, 16);
    transpose_four(less, 16);
    const vec four[] = {equal[1], equal[3], less[0], less[2]};
    for (int wire = 0; wire < 4; wire++)
        store(wires + wire * plane, four[wire] ^ load(masks + wire * plane, count), count);
    store(addends, less[1], count);
    store(addends + plane, less[3], count);
}

/* All four as wires, of values that are compared for equality alone. */
static inline ALWAYS void turn_equal(values_of_four values, size at, int unit, const word *masks,
    word *wires, size plane, size count)
{
    const vec lowest = turn(values, at, unit, 0, masks, wires, plane, count);
    store(wires + 3 * plane, lowest ^ load(masks + 3 * plane, count), count);
}

/* to_wires: of four rows, the wires of the last layer, planes of m words, under `next` masks, and
   its addends */
void join_four_less_equal_to_wires(word constant, int numbers, const word *mine, const word *theirs,
    const word *dealt, const word *masks, const word *addend, const word *next, word *wires,
    word *next_addend, size m)
{
    const struct operands all = {mine, theirs, dealt, masks, 4 * m};
    const struct operands lasts = last_equal(3, 1, all, (numbers == 1 ? 3 : 2) * m);
    values_of_four values[2];
    for (size start = 0; start < m; start += CHUNK) {
        const size n = m - start < CHUNK ? m - start : CHUNK;
        for (int row = 0; row < 4; row++) {
            const struct operands of = beyond(all, row * m + start);
            const struct operands last = beyond(lasts, folded_row(numbers, row) * m + start);
            const word *const added = addend + row * m + start;
#define JOIN_ROW(fold)                                                                          \
    FOR_EACH_VECTOR(n, join(3, 1, 1, fold, constant, beyond(of, c), beyond(last, c), m,         \
        added + c, values[0][row] + c, 4 * CHUNK, count))
            switch (fold_of(numbers, row)) {
            case AS_IT_STANDS: JOIN_ROW(AS_IT_STANDS); break;
            case LOWEST_OF_THREE: JOIN_ROW(LOWEST_OF_THREE); break;
            case ABOVE_THE_LOWEST: JOIN_ROW(ABOVE_THE_LOWEST); break;
            }
        }
        if (numbers == 1)
            FOR_EACH_VECTOR(n, turn_both(values, c, 16, next + start + c, wires + start + c,
                next_addend + start + c, m, count));
        else
            FOR_EACH_VECTOR(n, turn_pair(values, c, next + start + c, wires + start + c,
                next_addend + start + c, m, count));
    }
}

void join_four_equal_to_wires(word constant, const word *mine, const word *theirs,
    const word *dealt, const word *masks, const word *next, word *wires, size m)
{
    const struct operands all = {mine, theirs, dealt, masks, 4 * m};
    const struct operands lasts = last_equal(3, 0, all, 4 * m);
    values_of_four values;
    for (size start = 0; start < m; start += CHUNK) {
        const size n = m - start < CHUNK ? m - start : CHUNK;
        for (int row = 0; row < 4; row++)
            FOR_EACH_VECTOR(n, join(3, 0, 1, AS_IT_STANDS, constant,
                beyond(all, row * m + start + c), beyond(lasts, row * m + start + c), m, mine,
                values[row] + c, CHUNK, count));
        FOR_EACH_VECTOR(n, turn_equal(values, c, 16, next + start + c, wires + start + c, m,
            count));
    }
}

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
    void name##_products_of_nibbles(word mask, int numbers, const word *of_p0,                  \
        const word *of_p1, word *words, word *out, size m)                                      \
    {                                                                                           \
        products_of_nibbles(mask, numbers, of_p0, of_p1, words, out, m);                        \
    }

NIBBLES(nibbles_less_equal, 1)
NIBBLES(nibbles_equal, 0)

/* The values of four of the sixteen rows, of n words from `at` on, of the sums of what both proxies
   sent, if that is given. */
static inline ALWAYS void four_values(int less, word constant, word mask, int numbers,
    const word *mine, const word *theirs, const word *dealt, word *z, values_of_four *values,
    int four, size at, size m, size n)
{
    for (int row = 0; row < 4; row++) {
        const size first = (16 * four + 4 * row) * m + at;
        const word *read = z + first, *share = dealt + (4 * four + row) * m + at;
        for (size of = first; mine && of < first + 4 * m; of += m)
            add_up(numbers, mine + of, theirs + of, z + of, n);
        FOR_EACH_VECTOR(n, compare_nibbles(less, constant, mask, read + c, share + c,
            values[0][row] + c, 4 * CHUNK, m, count));
    }
}

/* to_wires: the values of z as the wires of four groups under `masks`, planes of 4 m words, of which
   the last is folded; and their addend */
void nibbles_less_equal_to_wires(word constant, word mask, int numbers, const word *mine,
    const word *theirs, const word *dealt, const word *masks, word *z, word *wires, word *addend,
    size m)
{
    const size last = WIRES(3, 1) * 4 * m;
    values_of_four values[2];
    word put_in[CHUNK];
    for (size at = 0; at < m; at += CHUNK) {
        const size n = m - at < CHUNK ? m - at : CHUNK;
        for (int of = 0; of < 4; of++) {
            const int row = row_in_turn(numbers, of);
            const size first = row * m + at, to = last + folded_row(numbers, row) * m + at;
            four_values(1, constant, mask, numbers, mine, theirs, dealt, z, values, row, at, m, n);
#define TURN_BOTH                                                                                \
    turn_both(values, c, 4, masks + first + c, wires + first + c, addend + first + c, 4 * m, count)
            if (fold_of(numbers, row) == AS_IT_STANDS)
                FOR_EACH_VECTOR(n, store(wires + to + c,
                    folded(numbers, row, TURN_BOTH, load(put_in + c, count))
                        ^ load(masks + to + c, count), count));
            else
                FOR_EACH_VECTOR(n, store(put_in + c, TURN_BOTH, count));
        }
    }
}

void nibbles_equal_to_wires(word constant, word mask, int numbers, const word *mine,
    const word *theirs, const word *dealt, const word *masks, word *z, word *wires, size m)
{
    values_of_four values;
    for (size start = 0; start < 4 * m;) {
        const size four = start / m, at = start % m, n = m - at < CHUNK ? m - at : CHUNK;
        four_values(0, constant, mask, numbers, mine, theirs, dealt, z, &values, four, at, m, n);
        FOR_EACH_VECTOR(n, turn_equal(values, c, 4, masks + start + c, wires + start + c, 4 * m,
            count));
        start += n;
    }
}
