/* Made by `python -m ppaurora.mpc.primitives.kernels` from the gates of the protocol. Do not edit:
   change what makes it, and make it again. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 8
/* planes are so far apart that they share places of the cache: their lines are stored in pairs */
#define PAIR 2
#define ALWAYS __attribute__((always_inline))
typedef uint64_t word;
typedef ptrdiff_t size;
typedef word vec __attribute__((vector_size(8 * LANES)));

/* `count` words, with zeros behind if there are fewer than LANES */
static inline ALWAYS vec load(const word *from, size count)
{
    vec loaded = {0};
    memcpy(&loaded, from, sizeof(word) * count);
    return loaded;
}

static inline ALWAYS void store(word *to, vec stored, size count)
{
    memcpy(to, &stored, sizeof(word) * count);
}

static inline ALWAYS vec every(word same)
{
    return same - (vec){0};
}

/* one level of a turn: the bits in `mask` of high, and those of low that are `shift` above them */
static inline ALWAYS void swap(vec *low, vec *high, int shift, word mask)
{
    vec changed = ((*low >> shift) ^ *high) & mask;
    *high ^= changed;
    *low ^= changed << shift;
}

/* the row's place among four, and the digit of the bit number whose unit is 1, 4 or 16 */
static inline ALWAYS void turn_four(vec *rows, int unit, word mask_of_two, word mask_of_one)
{
    swap(rows + 0, rows + 2, 2 * unit, mask_of_two);
    swap(rows + 1, rows + 3, 2 * unit, mask_of_two);
    swap(rows + 0, rows + 1, unit, mask_of_one);
    swap(rows + 2, rows + 3, unit, mask_of_one);
}

/* four rows of a block, of the words' bits in `mask`: a nibble of each in every row */
static inline ALWAYS void nibbles(vec *rows, const word *words, word mask, size m, size count)
{
    for (int row = 0; row < 4; row++)
        rows[row] = load(words + row * m, count) & mask;
    turn_four(rows, 1, 0x3333333333333333u, 0x5555555555555555u);
}

static inline ALWAYS void turn_55d17f41fdd1eada_at(word *rows, size four, int unit, word mask_of_two,
    word mask_of_one, size m, size count)
{
    for (size place = 0; place < four; place++) {
        word *first = rows + 4 * place * m;
        vec turned[4];
        for (int row = 0; row < 4; row++)
            turned[row] = load(first + row * m, count);
        turn_four(turned, unit, mask_of_two, mask_of_one);
        for (int row = 0; row < 4; row++)
            store(first + row * m, turned[row], count);
    }
}

static inline ALWAYS void turn_55d17f41fdd1eada_all(word *rows, size four, int unit, word mask_of_two,
    word mask_of_one, size m)
{
    size c = 0;
    for (; c + LANES <= m; c += LANES)
        turn_55d17f41fdd1eada_at(rows + c, four, unit, mask_of_two, mask_of_one, m, LANES);
    if (c < m)
        turn_55d17f41fdd1eada_at(rows + c, four, unit, mask_of_two, mask_of_one, m, m - c);
}

/* in place: so many times four rows of m words, turned by the digit whose unit is 4 or 16 */
void turn_55d17f41fdd1eada(word *rows, size four, int unit, size m)
{
    if (unit == 4)
        turn_55d17f41fdd1eada_all(rows, four, 4, 0x00ff00ff00ff00ffu, 0x0f0f0f0f0f0f0f0fu, m);
    else
        turn_55d17f41fdd1eada_all(rows, four, 16, 0x00000000ffffffffu, 0x0000ffff0000ffffu, m);
}

static inline ALWAYS void arrange_31aa358d07122ef8_at(const word *values, const word *masks, word *out,
    size groups, int unit, word mask_of_two, word mask_of_one, int first, int last, size m,
    size count)
{
    for (size group = 0; group < groups; group++) {
        vec turned[4];
        for (int row = 0; row < 4; row++)
            turned[row] = load(values + (4 * group + row) * m, count);
        turn_four(turned, unit, mask_of_two, mask_of_one);
        for (int place = 0; place < 4; place++) {
            int wire = place < 3 ? first + place : last;
            size row = (wire * groups + group) * m;
            if (wire >= 0)
                store(out + row, turned[3 - place] ^ load(masks + row, count), count);
        }
    }
}

static inline ALWAYS void arrange_31aa358d07122ef8_all(const word *values, const word *masks, word *out,
    size groups, int unit, word mask_of_two, word mask_of_one, int first, int last, size m)
{
    size c = 0;
    for (; c + LANES <= m; c += LANES)
        arrange_31aa358d07122ef8_at(values + c, masks + c, out + c, groups, unit, mask_of_two, mask_of_one, first,
            last, m, LANES);
    if (c < m)
        arrange_31aa358d07122ef8_at(values + c, masks + c, out + c, groups, unit, mask_of_two, mask_of_one, first,
            last, m, m - c);
}

/* out: the four rows of each group, turned by the digit whose unit is 4 or 16, xor masks: from the
   last row on, as the wires `first` to first + 2 and `last`, or as three if that is below 0 */
void arrange_31aa358d07122ef8(const word *values, const word *masks, word *out, size groups, int unit, size m,
    int first, int last)
{
    if (unit == 4)
        arrange_31aa358d07122ef8_all(values, masks, out, groups, 4, 0x00ff00ff00ff00ffu, 0x0f0f0f0f0f0f0f0fu, first,
            last, m);
    else
        arrange_31aa358d07122ef8_all(values, masks, out, groups, 16, 0x00000000ffffffffu, 0x0000ffff0000ffffu, first,
            last, m);
}

/* out: for each of n <= 64 m elements its bit of the plane, xor the sign of its word */
void bits_44c9ecf0560192bf(const word *plane, const word *signed_words, word *restrict out,
    size m, size n)
{
    for (size row = 0; row * m < n; row++) {
        size first = row * m, count = n - first < m ? n - first : m;
        for (size c = 0; c < count; c++)
            out[first + c] = (plane[c] >> row & 1) ^ signed_words[first + c] >> 63;
    }
}

/* out: e·y + (1 - 2e)·(bit·z - product), where e is an element's bit of the plane, xor the sign of
   its word */
void chosen_bb7694aeb022e9c0(const word *plane, const word *signed_words, const word *z, const word *y,
    const word *bit, const word *product, word *restrict out, size m, size n)
{
    for (size row = 0; row * m < n; row++) {
        size first = row * m, stop = n - first < m ? n : first + m;
        for (size k = first; k < stop; k++) {
            word e = (plane[k - first] >> row & 1) ^ signed_words[k] >> 63, every_bit = -e;
            out[k] = ((bit[k] * z[k] - product[k]) ^ every_bit) + e + (every_bit & y[k]);
        }
    }
}

/* out: upper - lower, of rows that begin `stride` words after each other */
void subtract_7458f6b70feade4f(const word *upper, const word *lower, word *restrict out, size rows, size run,
    size stride)
{
    for (; rows > 0; rows--, upper += stride, lower += stride, out += run)
        for (size c = 0; c < run; c++)
            out[c] = upper[c] - lower[c];
}

/* larger: upper - t, and smaller: lower + t, where t = e·y + (1 - 2e)·(bit·z - product) for
   y = upper - lower; e is an element's bit of the plane, xor the sign of its word. The places lie
   in rows that begin `stride` words after each other; the first one belongs to the element
   `first` of the block. What is written may be what is read. */
void exchange_3071e66b920d2c65(const word *plane, const word *signed_words, const word *z, const word *bit,
    const word *product, const word *upper, const word *lower, word *larger, word *smaller,
    size m, size first, size rows, size run, size stride)
{
    size row = first / m, column = first % m, k = first;
    for (; rows > 0; rows--) {
        for (size c = 0; c < run;) {
            size stop = run - c < m - column ? run : c + m - column;
#pragma GCC ivdep
            for (size i = c; i < stop; i++) {
                size l = k + i - c;
                word e = (plane[column + i - c] >> row & 1) ^ signed_words[l] >> 63, all = -e;
                word y = upper[i] - lower[i];
                word t = ((bit[l] * z[l] - product[l]) ^ all) + e + (all & y);
                word high = upper[i] - t, low = lower[i] + t;
                larger[i] = high;
                smaller[i] = low;
            }
            k += stop - c;
            column += stop - c;
            c = stop;
            if (column == m) {
                column = 0;
                row++;
            }
        }
        upper += stride, lower += stride, larger += stride, smaller += stride;
    }
}

static inline ALWAYS void gate_da8924699ddf585d_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[0] & constant;
    vec x1 = x0 ^ t[0];
    vec x2 = p[1] & x1;
    vec x3 = p[0] & t[1];
    vec x4 = x3 ^ t[2];
    vec x5 = x2 ^ x4;
    vec x6 = p[2] & x5;
    vec x7 = p[0] & t[3];
    vec x8 = x7 ^ t[4];
    vec x9 = x8 & p[1];
    vec x10 = p[0] & t[5];
    vec x11 = x10 ^ t[6];
    vec x12 = x9 ^ x11;
    vec x13 = x6 ^ x12;
    vec x14 = p[3] & x13;
    vec x15 = p[0] & t[7];
    vec x16 = x15 ^ t[8];
    vec x17 = x16 & p[1];
    vec x18 = p[0] & t[9];
    vec x19 = x18 ^ t[10];
    vec x20 = x17 ^ x19;
    vec x21 = x20 & p[2];
    vec x22 = p[0] & t[11];
    vec x23 = x22 ^ t[12];
    vec x24 = x23 & p[1];
    vec x25 = p[0] & t[13];
    vec x26 = x25 ^ t[14];
    vec x27 = x24 ^ x26;
    vec x28 = x21 ^ x27;
    vec x29 = x14 ^ x28;
    vec x30 = p[0] & t[0];
    vec x31 = p[1] & x4;
    vec x32 = p[2] & x12;
    vec x33 = p[3] & x28;
    vec x34 = x32 ^ x33;
    vec x35 = x31 ^ x34;
    vec x36 = x30 ^ x35;
    value[0] = x29;
    value[1] = x36;
}

static inline ALWAYS void gate_da8924699ddf585d_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[3];
    vec x5 = l[1] & l[3];
    vec x6 = x0 & l[3];
    vec x7 = l[2] & l[3];
    vec x8 = x1 & l[3];
    vec x9 = x2 & l[3];
    vec x10 = x3 & l[3];
    value[0] = l[0];
    value[1] = l[1];
    value[2] = x0;
    value[3] = l[2];
    value[4] = x1;
    value[5] = x2;
    value[6] = x3;
    value[7] = l[3];
    value[8] = x4;
    value[9] = x5;
    value[10] = x6;
    value[11] = x7;
    value[12] = x8;
    value[13] = x9;
    value[14] = x10;
}

static inline ALWAYS void gate_da8924699ddf585d_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[4], t[15], value[2];
    for (int wire = 0; wire < 4; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(dealt + 0 * k, count);
    t[1] = load(dealt + 1 * k, count);
    t[2] = load(dealt + 2 * k, count);
    t[3] = load(dealt + 3 * k, count);
    t[4] = load(dealt + 4 * k, count);
    t[5] = load(dealt + 5 * k, count);
    t[6] = load(dealt + 6 * k, count);
    t[7] = load(dealt + 7 * k, count);
    t[8] = load(dealt + 8 * k, count);
    t[9] = load(dealt + 9 * k, count);
    t[10] = load(dealt + 10 * k, count);
    t[11] = load(dealt + 11 * k, count);
    t[12] = load(dealt + 12 * k, count);
    t[13] = load(dealt + 13 * k, count);
    t[14] = load(dealt + 14 * k, count);
    gate_da8924699ddf585d_values(every(constant), p, t, value);
    for (int place = 0; place < 2; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_da8924699ddf585d_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_da8924699ddf585d_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_da8924699ddf585d_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_da8924699ddf585d_products_at(const word *masks, word *out, size k, size count)
{
    vec l[4], value[15];
    for (int wire = 0; wire < 4; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_da8924699ddf585d_multiplied(l, value);
    for (int place = 0; place < 15; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_da8924699ddf585d_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_da8924699ddf585d_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_da8924699ddf585d_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_da8924699ddf585d_on_nibbles_at(word constant, word mask, const word *words,
    const word *dealt, word *out, size m, size count)
{
    vec a[4], p[4], t[15], value[2];
    nibbles(a, words, mask, m, count);
    for (int bit = 0; bit < 4; bit++)
        p[bit] = ~a[3 - bit];
    for (int place = 0; place < 15; place++)
        t[place] = load(dealt + place * 16 * m, count);
    gate_da8924699ddf585d_values(every(constant), p, t, value);
    for (int place = 0; place < 2; place++)
        store(out + place * 16 * m, value[place], count);
}

/* the same on the nibbles of the words' bits in `mask`, whose complements are the public bits */
void gate_da8924699ddf585d_on_nibbles(word constant, word mask, const word *words,
    const word *dealt, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, dealt += m, out += m) {
        size c = 0;
        for (; c + LANES <= m; c += LANES)
            gate_da8924699ddf585d_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, LANES);
        if (c < m)
            gate_da8924699ddf585d_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, m - c);
    }
}

static inline ALWAYS void gate_da8924699ddf585d_products_of_nibbles_at(word mask, const word *words, word *out,
    size m, size vecs, size count)
{
    vec products[15][PAIR];
    for (size v = 0; v < vecs; v++, words += LANES) {
        vec a[4], l[4], value[15];
        nibbles(a, words, mask, m, count);
        for (int bit = 0; bit < 4; bit++)
            l[bit] = a[3 - bit];
        gate_da8924699ddf585d_multiplied(l, value);
        for (int place = 0; place < 15; place++)
            products[place][v] = value[place];
    }
    for (int place = 0; place < 15; place++)
        memcpy(out + place * 16 * m, products[place], sizeof(word) * vecs * count);
}

/* the same for masks that are the nibbles of the words' bits in `mask` */
void gate_da8924699ddf585d_products_of_nibbles(word mask, const word *words, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, out += m) {
        size c = 0;
        for (; c + PAIR * LANES <= m; c += PAIR * LANES)
            gate_da8924699ddf585d_products_of_nibbles_at(mask, words + c, out + c, m, PAIR, LANES);
        for (; c + LANES <= m; c += LANES)
            gate_da8924699ddf585d_products_of_nibbles_at(mask, words + c, out + c, m, 1, LANES);
        if (c < m)
            gate_da8924699ddf585d_products_of_nibbles_at(mask, words + c, out + c, m, 1, m - c);
    }
}

static inline ALWAYS void gate_caca82b229bb413a_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[0] & constant;
    vec x1 = x0 ^ t[0];
    vec x2 = p[1] & x1;
    vec x3 = p[0] & t[1];
    vec x4 = x3 ^ t[2];
    vec x5 = x2 ^ x4;
    vec x6 = p[2] & x5;
    vec x7 = p[0] & t[3];
    vec x8 = x7 ^ t[4];
    vec x9 = x8 & p[1];
    vec x10 = p[0] & t[5];
    vec x11 = x10 ^ t[6];
    vec x12 = x9 ^ x11;
    vec x13 = x6 ^ x12;
    vec x14 = p[7] & x13;
    vec x15 = p[0] & t[22];
    vec x16 = x15 ^ t[23];
    vec x17 = x16 & p[1];
    vec x18 = p[0] & t[24];
    vec x19 = x18 ^ t[25];
    vec x20 = x17 ^ x19;
    vec x21 = x20 & p[2];
    vec x22 = p[0] & t[26];
    vec x23 = x22 ^ t[27];
    vec x24 = x23 & p[1];
    vec x25 = p[0] & t[28];
    vec x26 = x25 ^ t[29];
    vec x27 = x24 ^ x26;
    vec x28 = x21 ^ x27;
    vec x29 = x14 ^ x28;
    vec x30 = p[3] & constant;
    vec x31 = x30 ^ t[7];
    vec x32 = p[4] & x1;
    vec x33 = p[0] & t[8];
    vec x34 = x33 ^ t[9];
    vec x35 = x32 ^ x34;
    vec x36 = p[5] & x5;
    vec x37 = p[0] & t[10];
    vec x38 = x37 ^ t[11];
    vec x39 = x38 & p[1];
    vec x40 = p[0] & t[12];
    vec x41 = x40 ^ t[13];
    vec x42 = x39 ^ x41;
    vec x43 = x36 ^ x42;
    vec x44 = p[6] & x13;
    vec x45 = p[0] & t[14];
    vec x46 = x45 ^ t[15];
    vec x47 = x46 & p[1];
    vec x48 = p[0] & t[16];
    vec x49 = x48 ^ t[17];
    vec x50 = x47 ^ x49;
    vec x51 = x50 & p[2];
    vec x52 = p[0] & t[18];
    vec x53 = x52 ^ t[19];
    vec x54 = x53 & p[1];
    vec x55 = p[0] & t[20];
    vec x56 = x55 ^ t[21];
    vec x57 = x54 ^ x56;
    vec x58 = x51 ^ x57;
    vec x59 = x44 ^ x58;
    vec x60 = x43 ^ x59;
    vec x61 = x35 ^ x60;
    vec x62 = x31 ^ x61;
    value[0] = x29;
    value[1] = x62;
}

static inline ALWAYS void gate_caca82b229bb413a_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[4];
    vec x5 = l[0] & l[5];
    vec x6 = l[1] & l[5];
    vec x7 = x0 & l[5];
    vec x8 = l[0] & l[6];
    vec x9 = l[1] & l[6];
    vec x10 = x0 & l[6];
    vec x11 = l[2] & l[6];
    vec x12 = x1 & l[6];
    vec x13 = x2 & l[6];
    vec x14 = x3 & l[6];
    vec x15 = l[0] & l[7];
    vec x16 = l[1] & l[7];
    vec x17 = x0 & l[7];
    vec x18 = l[2] & l[7];
    vec x19 = x1 & l[7];
    vec x20 = x2 & l[7];
    vec x21 = x3 & l[7];
    value[0] = x0;
    value[1] = x1;
    value[2] = x2;
    value[3] = x3;
    value[4] = x4;
    value[5] = x5;
    value[6] = x6;
    value[7] = x7;
    value[8] = x8;
    value[9] = x9;
    value[10] = x10;
    value[11] = x11;
    value[12] = x12;
    value[13] = x13;
    value[14] = x14;
    value[15] = x15;
    value[16] = x16;
    value[17] = x17;
    value[18] = x18;
    value[19] = x19;
    value[20] = x20;
    value[21] = x21;
}

static inline ALWAYS void gate_caca82b229bb413a_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[8], t[30], value[2];
    for (int wire = 0; wire < 8; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(masks + 0 * k, count);
    t[1] = load(masks + 1 * k, count);
    t[2] = load(dealt + 0 * k, count);
    t[3] = load(masks + 2 * k, count);
    t[4] = load(dealt + 1 * k, count);
    t[5] = load(dealt + 2 * k, count);
    t[6] = load(dealt + 3 * k, count);
    t[7] = load(masks + 3 * k, count);
    t[8] = load(masks + 4 * k, count);
    t[9] = load(dealt + 4 * k, count);
    t[10] = load(masks + 5 * k, count);
    t[11] = load(dealt + 5 * k, count);
    t[12] = load(dealt + 6 * k, count);
    t[13] = load(dealt + 7 * k, count);
    t[14] = load(masks + 6 * k, count);
    t[15] = load(dealt + 8 * k, count);
    t[16] = load(dealt + 9 * k, count);
    t[17] = load(dealt + 10 * k, count);
    t[18] = load(dealt + 11 * k, count);
    t[19] = load(dealt + 12 * k, count);
    t[20] = load(dealt + 13 * k, count);
    t[21] = load(dealt + 14 * k, count);
    t[22] = load(masks + 7 * k, count);
    t[23] = load(dealt + 15 * k, count);
    t[24] = load(dealt + 16 * k, count);
    t[25] = load(dealt + 17 * k, count);
    t[26] = load(dealt + 18 * k, count);
    t[27] = load(dealt + 19 * k, count);
    t[28] = load(dealt + 20 * k, count);
    t[29] = load(dealt + 21 * k, count);
    gate_caca82b229bb413a_values(every(constant), p, t, value);
    for (int place = 0; place < 2; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_caca82b229bb413a_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_caca82b229bb413a_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_caca82b229bb413a_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_caca82b229bb413a_products_at(const word *masks, word *out, size k, size count)
{
    vec l[8], value[22];
    for (int wire = 0; wire < 8; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_caca82b229bb413a_multiplied(l, value);
    for (int place = 0; place < 22; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_caca82b229bb413a_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_caca82b229bb413a_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_caca82b229bb413a_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_ea2df0ec0d8b01ec_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[3] & constant;
    vec x1 = x0 ^ t[7];
    vec x2 = p[0] & constant;
    vec x3 = x2 ^ t[0];
    vec x4 = p[4] & x3;
    vec x5 = p[0] & t[8];
    vec x6 = x5 ^ t[9];
    vec x7 = x4 ^ x6;
    vec x8 = p[1] & x3;
    vec x9 = p[0] & t[1];
    vec x10 = x9 ^ t[2];
    vec x11 = x8 ^ x10;
    vec x12 = p[5] & x11;
    vec x13 = p[0] & t[10];
    vec x14 = x13 ^ t[11];
    vec x15 = x14 & p[1];
    vec x16 = p[0] & t[12];
    vec x17 = x16 ^ t[13];
    vec x18 = x15 ^ x17;
    vec x19 = x12 ^ x18;
    vec x20 = p[2] & x11;
    vec x21 = p[0] & t[3];
    vec x22 = x21 ^ t[4];
    vec x23 = x22 & p[1];
    vec x24 = p[0] & t[5];
    vec x25 = x24 ^ t[6];
    vec x26 = x23 ^ x25;
    vec x27 = x20 ^ x26;
    vec x28 = p[6] & x27;
    vec x29 = p[0] & t[14];
    vec x30 = x29 ^ t[15];
    vec x31 = x30 & p[1];
    vec x32 = p[0] & t[16];
    vec x33 = x32 ^ t[17];
    vec x34 = x31 ^ x33;
    vec x35 = x34 & p[2];
    vec x36 = p[0] & t[18];
    vec x37 = x36 ^ t[19];
    vec x38 = x37 & p[1];
    vec x39 = p[0] & t[20];
    vec x40 = x39 ^ t[21];
    vec x41 = x38 ^ x40;
    vec x42 = x35 ^ x41;
    vec x43 = x28 ^ x42;
    vec x44 = x19 ^ x43;
    vec x45 = x7 ^ x44;
    vec x46 = x1 ^ x45;
    value[0] = x46;
}

static inline ALWAYS void gate_ea2df0ec0d8b01ec_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[4];
    vec x5 = l[0] & l[5];
    vec x6 = l[1] & l[5];
    vec x7 = x0 & l[5];
    vec x8 = l[0] & l[6];
    vec x9 = l[1] & l[6];
    vec x10 = x0 & l[6];
    vec x11 = l[2] & l[6];
    vec x12 = x1 & l[6];
    vec x13 = x2 & l[6];
    vec x14 = x3 & l[6];
    value[0] = x0;
    value[1] = x1;
    value[2] = x2;
    value[3] = x3;
    value[4] = x4;
    value[5] = x5;
    value[6] = x6;
    value[7] = x7;
    value[8] = x8;
    value[9] = x9;
    value[10] = x10;
    value[11] = x11;
    value[12] = x12;
    value[13] = x13;
    value[14] = x14;
}

static inline ALWAYS void gate_ea2df0ec0d8b01ec_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[7], t[22], value[1];
    for (int wire = 0; wire < 7; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(masks + 0 * k, count);
    t[1] = load(masks + 1 * k, count);
    t[2] = load(dealt + 0 * k, count);
    t[3] = load(masks + 2 * k, count);
    t[4] = load(dealt + 1 * k, count);
    t[5] = load(dealt + 2 * k, count);
    t[6] = load(dealt + 3 * k, count);
    t[7] = load(masks + 3 * k, count);
    t[8] = load(masks + 4 * k, count);
    t[9] = load(dealt + 4 * k, count);
    t[10] = load(masks + 5 * k, count);
    t[11] = load(dealt + 5 * k, count);
    t[12] = load(dealt + 6 * k, count);
    t[13] = load(dealt + 7 * k, count);
    t[14] = load(masks + 6 * k, count);
    t[15] = load(dealt + 8 * k, count);
    t[16] = load(dealt + 9 * k, count);
    t[17] = load(dealt + 10 * k, count);
    t[18] = load(dealt + 11 * k, count);
    t[19] = load(dealt + 12 * k, count);
    t[20] = load(dealt + 13 * k, count);
    t[21] = load(dealt + 14 * k, count);
    gate_ea2df0ec0d8b01ec_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_ea2df0ec0d8b01ec_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_ea2df0ec0d8b01ec_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_ea2df0ec0d8b01ec_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_ea2df0ec0d8b01ec_products_at(const word *masks, word *out, size k, size count)
{
    vec l[7], value[15];
    for (int wire = 0; wire < 7; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_ea2df0ec0d8b01ec_multiplied(l, value);
    for (int place = 0; place < 15; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_ea2df0ec0d8b01ec_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_ea2df0ec0d8b01ec_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_ea2df0ec0d8b01ec_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_252d79f02d33af95_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[0] & constant;
    vec x1 = x0 ^ t[0];
    vec x2 = p[1] & x1;
    vec x3 = p[0] & t[1];
    vec x4 = x3 ^ t[2];
    vec x5 = x2 ^ x4;
    vec x6 = p[2] & x5;
    vec x7 = p[0] & t[3];
    vec x8 = x7 ^ t[4];
    vec x9 = x8 & p[1];
    vec x10 = p[0] & t[5];
    vec x11 = x10 ^ t[6];
    vec x12 = x9 ^ x11;
    vec x13 = x6 ^ x12;
    vec x14 = p[3] & x13;
    vec x15 = p[0] & t[7];
    vec x16 = x15 ^ t[8];
    vec x17 = x16 & p[1];
    vec x18 = p[0] & t[9];
    vec x19 = x18 ^ t[10];
    vec x20 = x17 ^ x19;
    vec x21 = x20 & p[2];
    vec x22 = p[0] & t[11];
    vec x23 = x22 ^ t[12];
    vec x24 = x23 & p[1];
    vec x25 = p[0] & t[13];
    vec x26 = x25 ^ t[14];
    vec x27 = x24 ^ x26;
    vec x28 = x21 ^ x27;
    vec x29 = x14 ^ x28;
    value[0] = x29;
}

static inline ALWAYS void gate_252d79f02d33af95_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[3];
    vec x5 = l[1] & l[3];
    vec x6 = x0 & l[3];
    vec x7 = l[2] & l[3];
    vec x8 = x1 & l[3];
    vec x9 = x2 & l[3];
    vec x10 = x3 & l[3];
    value[0] = l[0];
    value[1] = l[1];
    value[2] = x0;
    value[3] = l[2];
    value[4] = x1;
    value[5] = x2;
    value[6] = x3;
    value[7] = l[3];
    value[8] = x4;
    value[9] = x5;
    value[10] = x6;
    value[11] = x7;
    value[12] = x8;
    value[13] = x9;
    value[14] = x10;
}

static inline ALWAYS void gate_252d79f02d33af95_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[4], t[15], value[1];
    for (int wire = 0; wire < 4; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(dealt + 0 * k, count);
    t[1] = load(dealt + 1 * k, count);
    t[2] = load(dealt + 2 * k, count);
    t[3] = load(dealt + 3 * k, count);
    t[4] = load(dealt + 4 * k, count);
    t[5] = load(dealt + 5 * k, count);
    t[6] = load(dealt + 6 * k, count);
    t[7] = load(dealt + 7 * k, count);
    t[8] = load(dealt + 8 * k, count);
    t[9] = load(dealt + 9 * k, count);
    t[10] = load(dealt + 10 * k, count);
    t[11] = load(dealt + 11 * k, count);
    t[12] = load(dealt + 12 * k, count);
    t[13] = load(dealt + 13 * k, count);
    t[14] = load(dealt + 14 * k, count);
    gate_252d79f02d33af95_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_252d79f02d33af95_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_252d79f02d33af95_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_252d79f02d33af95_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_252d79f02d33af95_products_at(const word *masks, word *out, size k, size count)
{
    vec l[4], value[15];
    for (int wire = 0; wire < 4; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_252d79f02d33af95_multiplied(l, value);
    for (int place = 0; place < 15; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_252d79f02d33af95_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_252d79f02d33af95_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_252d79f02d33af95_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_252d79f02d33af95_on_nibbles_at(word constant, word mask, const word *words,
    const word *dealt, word *out, size m, size count)
{
    vec a[4], p[4], t[15], value[1];
    nibbles(a, words, mask, m, count);
    for (int bit = 0; bit < 4; bit++)
        p[bit] = ~a[3 - bit];
    for (int place = 0; place < 15; place++)
        t[place] = load(dealt + place * 16 * m, count);
    gate_252d79f02d33af95_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * 16 * m, value[place], count);
}

/* the same on the nibbles of the words' bits in `mask`, whose complements are the public bits */
void gate_252d79f02d33af95_on_nibbles(word constant, word mask, const word *words,
    const word *dealt, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, dealt += m, out += m) {
        size c = 0;
        for (; c + LANES <= m; c += LANES)
            gate_252d79f02d33af95_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, LANES);
        if (c < m)
            gate_252d79f02d33af95_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, m - c);
    }
}

static inline ALWAYS void gate_252d79f02d33af95_products_of_nibbles_at(word mask, const word *words, word *out,
    size m, size vecs, size count)
{
    vec products[15][PAIR];
    for (size v = 0; v < vecs; v++, words += LANES) {
        vec a[4], l[4], value[15];
        nibbles(a, words, mask, m, count);
        for (int bit = 0; bit < 4; bit++)
            l[bit] = a[3 - bit];
        gate_252d79f02d33af95_multiplied(l, value);
        for (int place = 0; place < 15; place++)
            products[place][v] = value[place];
    }
    for (int place = 0; place < 15; place++)
        memcpy(out + place * 16 * m, products[place], sizeof(word) * vecs * count);
}

/* the same for masks that are the nibbles of the words' bits in `mask` */
void gate_252d79f02d33af95_products_of_nibbles(word mask, const word *words, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, out += m) {
        size c = 0;
        for (; c + PAIR * LANES <= m; c += PAIR * LANES)
            gate_252d79f02d33af95_products_of_nibbles_at(mask, words + c, out + c, m, PAIR, LANES);
        for (; c + LANES <= m; c += LANES)
            gate_252d79f02d33af95_products_of_nibbles_at(mask, words + c, out + c, m, 1, LANES);
        if (c < m)
            gate_252d79f02d33af95_products_of_nibbles_at(mask, words + c, out + c, m, 1, m - c);
    }
}

static inline ALWAYS void gate_d7807d67e58f71d8_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[0] & constant;
    vec x1 = x0 ^ t[0];
    vec x2 = p[1] & x1;
    vec x3 = p[0] & t[1];
    vec x4 = x3 ^ t[2];
    vec x5 = x2 ^ x4;
    vec x6 = p[2] & x5;
    vec x7 = p[0] & t[3];
    vec x8 = x7 ^ t[4];
    vec x9 = x8 & p[1];
    vec x10 = p[0] & t[5];
    vec x11 = x10 ^ t[6];
    vec x12 = x9 ^ x11;
    vec x13 = x6 ^ x12;
    vec x14 = p[3] & x13;
    vec x15 = p[0] & t[7];
    vec x16 = x15 ^ t[8];
    vec x17 = x16 & p[1];
    vec x18 = p[0] & t[9];
    vec x19 = x18 ^ t[10];
    vec x20 = x17 ^ x19;
    vec x21 = x20 & p[2];
    vec x22 = p[0] & t[11];
    vec x23 = x22 ^ t[12];
    vec x24 = x23 & p[1];
    vec x25 = p[0] & t[13];
    vec x26 = x25 ^ t[14];
    vec x27 = x24 ^ x26;
    vec x28 = x21 ^ x27;
    vec x29 = x14 ^ x28;
    value[0] = x29;
}

static inline ALWAYS void gate_d7807d67e58f71d8_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[3];
    vec x5 = l[1] & l[3];
    vec x6 = x0 & l[3];
    vec x7 = l[2] & l[3];
    vec x8 = x1 & l[3];
    vec x9 = x2 & l[3];
    vec x10 = x3 & l[3];
    value[0] = x0;
    value[1] = x1;
    value[2] = x2;
    value[3] = x3;
    value[4] = x4;
    value[5] = x5;
    value[6] = x6;
    value[7] = x7;
    value[8] = x8;
    value[9] = x9;
    value[10] = x10;
}

static inline ALWAYS void gate_d7807d67e58f71d8_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[4], t[15], value[1];
    for (int wire = 0; wire < 4; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(masks + 0 * k, count);
    t[1] = load(masks + 1 * k, count);
    t[2] = load(dealt + 0 * k, count);
    t[3] = load(masks + 2 * k, count);
    t[4] = load(dealt + 1 * k, count);
    t[5] = load(dealt + 2 * k, count);
    t[6] = load(dealt + 3 * k, count);
    t[7] = load(masks + 3 * k, count);
    t[8] = load(dealt + 4 * k, count);
    t[9] = load(dealt + 5 * k, count);
    t[10] = load(dealt + 6 * k, count);
    t[11] = load(dealt + 7 * k, count);
    t[12] = load(dealt + 8 * k, count);
    t[13] = load(dealt + 9 * k, count);
    t[14] = load(dealt + 10 * k, count);
    gate_d7807d67e58f71d8_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_d7807d67e58f71d8_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_d7807d67e58f71d8_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_d7807d67e58f71d8_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_d7807d67e58f71d8_products_at(const word *masks, word *out, size k, size count)
{
    vec l[4], value[11];
    for (int wire = 0; wire < 4; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_d7807d67e58f71d8_multiplied(l, value);
    for (int place = 0; place < 11; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_d7807d67e58f71d8_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_d7807d67e58f71d8_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_d7807d67e58f71d8_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_af49995e9e09bcee_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[4] & constant;
    vec x1 = x0 ^ t[15];
    vec x2 = p[0] & constant;
    vec x3 = x2 ^ t[0];
    vec x4 = p[5] & x3;
    vec x5 = p[0] & t[16];
    vec x6 = x5 ^ t[17];
    vec x7 = x4 ^ x6;
    vec x8 = p[1] & x3;
    vec x9 = p[0] & t[1];
    vec x10 = x9 ^ t[2];
    vec x11 = x8 ^ x10;
    vec x12 = p[6] & x11;
    vec x13 = p[0] & t[18];
    vec x14 = x13 ^ t[19];
    vec x15 = x14 & p[1];
    vec x16 = p[0] & t[20];
    vec x17 = x16 ^ t[21];
    vec x18 = x15 ^ x17;
    vec x19 = x12 ^ x18;
    vec x20 = p[2] & x11;
    vec x21 = p[0] & t[3];
    vec x22 = x21 ^ t[4];
    vec x23 = x22 & p[1];
    vec x24 = p[0] & t[5];
    vec x25 = x24 ^ t[6];
    vec x26 = x23 ^ x25;
    vec x27 = x20 ^ x26;
    vec x28 = p[7] & x27;
    vec x29 = p[0] & t[22];
    vec x30 = x29 ^ t[23];
    vec x31 = x30 & p[1];
    vec x32 = p[0] & t[24];
    vec x33 = x32 ^ t[25];
    vec x34 = x31 ^ x33;
    vec x35 = x34 & p[2];
    vec x36 = p[0] & t[26];
    vec x37 = x36 ^ t[27];
    vec x38 = x37 & p[1];
    vec x39 = p[0] & t[28];
    vec x40 = x39 ^ t[29];
    vec x41 = x38 ^ x40;
    vec x42 = x35 ^ x41;
    vec x43 = x28 ^ x42;
    vec x44 = p[3] & x27;
    vec x45 = p[0] & t[7];
    vec x46 = x45 ^ t[8];
    vec x47 = x46 & p[1];
    vec x48 = p[0] & t[9];
    vec x49 = x48 ^ t[10];
    vec x50 = x47 ^ x49;
    vec x51 = x50 & p[2];
    vec x52 = p[0] & t[11];
    vec x53 = x52 ^ t[12];
    vec x54 = x53 & p[1];
    vec x55 = p[0] & t[13];
    vec x56 = x55 ^ t[14];
    vec x57 = x54 ^ x56;
    vec x58 = x51 ^ x57;
    vec x59 = x44 ^ x58;
    vec x60 = p[8] & x59;
    vec x61 = p[0] & t[30];
    vec x62 = x61 ^ t[31];
    vec x63 = x62 & p[1];
    vec x64 = p[0] & t[32];
    vec x65 = x64 ^ t[33];
    vec x66 = x63 ^ x65;
    vec x67 = x66 & p[2];
    vec x68 = p[0] & t[34];
    vec x69 = x68 ^ t[35];
    vec x70 = x69 & p[1];
    vec x71 = p[0] & t[36];
    vec x72 = x71 ^ t[37];
    vec x73 = x70 ^ x72;
    vec x74 = x67 ^ x73;
    vec x75 = x74 & p[3];
    vec x76 = p[0] & t[38];
    vec x77 = x76 ^ t[39];
    vec x78 = x77 & p[1];
    vec x79 = p[0] & t[40];
    vec x80 = x79 ^ t[41];
    vec x81 = x78 ^ x80;
    vec x82 = x81 & p[2];
    vec x83 = p[0] & t[42];
    vec x84 = x83 ^ t[43];
    vec x85 = x84 & p[1];
    vec x86 = p[0] & t[44];
    vec x87 = x86 ^ t[45];
    vec x88 = x85 ^ x87;
    vec x89 = x82 ^ x88;
    vec x90 = x75 ^ x89;
    vec x91 = x60 ^ x90;
    vec x92 = x43 ^ x91;
    vec x93 = x19 ^ x92;
    vec x94 = x7 ^ x93;
    vec x95 = x1 ^ x94;
    value[0] = x95;
}

static inline ALWAYS void gate_af49995e9e09bcee_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[3];
    vec x5 = l[1] & l[3];
    vec x6 = x0 & l[3];
    vec x7 = l[2] & l[3];
    vec x8 = x1 & l[3];
    vec x9 = x2 & l[3];
    vec x10 = x3 & l[3];
    vec x11 = l[0] & l[5];
    vec x12 = l[0] & l[6];
    vec x13 = l[1] & l[6];
    vec x14 = x0 & l[6];
    vec x15 = l[0] & l[7];
    vec x16 = l[1] & l[7];
    vec x17 = x0 & l[7];
    vec x18 = l[2] & l[7];
    vec x19 = x1 & l[7];
    vec x20 = x2 & l[7];
    vec x21 = x3 & l[7];
    vec x22 = l[0] & l[8];
    vec x23 = l[1] & l[8];
    vec x24 = x0 & l[8];
    vec x25 = l[2] & l[8];
    vec x26 = x1 & l[8];
    vec x27 = x2 & l[8];
    vec x28 = x3 & l[8];
    vec x29 = l[3] & l[8];
    vec x30 = x4 & l[8];
    vec x31 = x5 & l[8];
    vec x32 = x6 & l[8];
    vec x33 = x7 & l[8];
    vec x34 = x8 & l[8];
    vec x35 = x9 & l[8];
    vec x36 = x10 & l[8];
    value[0] = x0;
    value[1] = x1;
    value[2] = x2;
    value[3] = x3;
    value[4] = x4;
    value[5] = x5;
    value[6] = x6;
    value[7] = x7;
    value[8] = x8;
    value[9] = x9;
    value[10] = x10;
    value[11] = x11;
    value[12] = x12;
    value[13] = x13;
    value[14] = x14;
    value[15] = x15;
    value[16] = x16;
    value[17] = x17;
    value[18] = x18;
    value[19] = x19;
    value[20] = x20;
    value[21] = x21;
    value[22] = x22;
    value[23] = x23;
    value[24] = x24;
    value[25] = x25;
    value[26] = x26;
    value[27] = x27;
    value[28] = x28;
    value[29] = x29;
    value[30] = x30;
    value[31] = x31;
    value[32] = x32;
    value[33] = x33;
    value[34] = x34;
    value[35] = x35;
    value[36] = x36;
}

static inline ALWAYS void gate_af49995e9e09bcee_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[9], t[46], value[1];
    for (int wire = 0; wire < 9; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(masks + 0 * k, count);
    t[1] = load(masks + 1 * k, count);
    t[2] = load(dealt + 0 * k, count);
    t[3] = load(masks + 2 * k, count);
    t[4] = load(dealt + 1 * k, count);
    t[5] = load(dealt + 2 * k, count);
    t[6] = load(dealt + 3 * k, count);
    t[7] = load(masks + 3 * k, count);
    t[8] = load(dealt + 4 * k, count);
    t[9] = load(dealt + 5 * k, count);
    t[10] = load(dealt + 6 * k, count);
    t[11] = load(dealt + 7 * k, count);
    t[12] = load(dealt + 8 * k, count);
    t[13] = load(dealt + 9 * k, count);
    t[14] = load(dealt + 10 * k, count);
    t[15] = load(masks + 4 * k, count);
    t[16] = load(masks + 5 * k, count);
    t[17] = load(dealt + 11 * k, count);
    t[18] = load(masks + 6 * k, count);
    t[19] = load(dealt + 12 * k, count);
    t[20] = load(dealt + 13 * k, count);
    t[21] = load(dealt + 14 * k, count);
    t[22] = load(masks + 7 * k, count);
    t[23] = load(dealt + 15 * k, count);
    t[24] = load(dealt + 16 * k, count);
    t[25] = load(dealt + 17 * k, count);
    t[26] = load(dealt + 18 * k, count);
    t[27] = load(dealt + 19 * k, count);
    t[28] = load(dealt + 20 * k, count);
    t[29] = load(dealt + 21 * k, count);
    t[30] = load(masks + 8 * k, count);
    t[31] = load(dealt + 22 * k, count);
    t[32] = load(dealt + 23 * k, count);
    t[33] = load(dealt + 24 * k, count);
    t[34] = load(dealt + 25 * k, count);
    t[35] = load(dealt + 26 * k, count);
    t[36] = load(dealt + 27 * k, count);
    t[37] = load(dealt + 28 * k, count);
    t[38] = load(dealt + 29 * k, count);
    t[39] = load(dealt + 30 * k, count);
    t[40] = load(dealt + 31 * k, count);
    t[41] = load(dealt + 32 * k, count);
    t[42] = load(dealt + 33 * k, count);
    t[43] = load(dealt + 34 * k, count);
    t[44] = load(dealt + 35 * k, count);
    t[45] = load(dealt + 36 * k, count);
    gate_af49995e9e09bcee_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_af49995e9e09bcee_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_af49995e9e09bcee_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_af49995e9e09bcee_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_af49995e9e09bcee_products_at(const word *masks, word *out, size k, size count)
{
    vec l[9], value[37];
    for (int wire = 0; wire < 9; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_af49995e9e09bcee_multiplied(l, value);
    for (int place = 0; place < 37; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_af49995e9e09bcee_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_af49995e9e09bcee_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_af49995e9e09bcee_products_at(masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_46fb846b9f90ab62_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
    vec x0 = p[5] & constant;
    vec x1 = x0 ^ t[31];
    vec x2 = p[0] & constant;
    vec x3 = x2 ^ t[0];
    vec x4 = p[6] & x3;
    vec x5 = p[0] & t[32];
    vec x6 = x5 ^ t[33];
    vec x7 = x4 ^ x6;
    vec x8 = p[1] & x3;
    vec x9 = p[0] & t[1];
    vec x10 = x9 ^ t[2];
    vec x11 = x8 ^ x10;
    vec x12 = p[7] & x11;
    vec x13 = p[0] & t[34];
    vec x14 = x13 ^ t[35];
    vec x15 = x14 & p[1];
    vec x16 = p[0] & t[36];
    vec x17 = x16 ^ t[37];
    vec x18 = x15 ^ x17;
    vec x19 = x12 ^ x18;
    vec x20 = p[2] & x11;
    vec x21 = p[0] & t[3];
    vec x22 = x21 ^ t[4];
    vec x23 = x22 & p[1];
    vec x24 = p[0] & t[5];
    vec x25 = x24 ^ t[6];
    vec x26 = x23 ^ x25;
    vec x27 = x20 ^ x26;
    vec x28 = p[8] & x27;
    vec x29 = p[0] & t[38];
    vec x30 = x29 ^ t[39];
    vec x31 = x30 & p[1];
    vec x32 = p[0] & t[40];
    vec x33 = x32 ^ t[41];
    vec x34 = x31 ^ x33;
    vec x35 = x34 & p[2];
    vec x36 = p[0] & t[42];
    vec x37 = x36 ^ t[43];
    vec x38 = x37 & p[1];
    vec x39 = p[0] & t[44];
    vec x40 = x39 ^ t[45];
    vec x41 = x38 ^ x40;
    vec x42 = x35 ^ x41;
    vec x43 = x28 ^ x42;
    vec x44 = p[3] & x27;
    vec x45 = p[0] & t[7];
    vec x46 = x45 ^ t[8];
    vec x47 = x46 & p[1];
    vec x48 = p[0] & t[9];
    vec x49 = x48 ^ t[10];
    vec x50 = x47 ^ x49;
    vec x51 = x50 & p[2];
    vec x52 = p[0] & t[11];
    vec x53 = x52 ^ t[12];
    vec x54 = x53 & p[1];
    vec x55 = p[0] & t[13];
    vec x56 = x55 ^ t[14];
    vec x57 = x54 ^ x56;
    vec x58 = x51 ^ x57;
    vec x59 = x44 ^ x58;
    vec x60 = p[9] & x59;
    vec x61 = p[0] & t[46];
    vec x62 = x61 ^ t[47];
    vec x63 = x62 & p[1];
    vec x64 = p[0] & t[48];
    vec x65 = x64 ^ t[49];
    vec x66 = x63 ^ x65;
    vec x67 = x66 & p[2];
    vec x68 = p[0] & t[50];
    vec x69 = x68 ^ t[51];
    vec x70 = x69 & p[1];
    vec x71 = p[0] & t[52];
    vec x72 = x71 ^ t[53];
    vec x73 = x70 ^ x72;
    vec x74 = x67 ^ x73;
    vec x75 = x74 & p[3];
    vec x76 = p[0] & t[54];
    vec x77 = x76 ^ t[55];
    vec x78 = x77 & p[1];
    vec x79 = p[0] & t[56];
    vec x80 = x79 ^ t[57];
    vec x81 = x78 ^ x80;
    vec x82 = x81 & p[2];
    vec x83 = p[0] & t[58];
    vec x84 = x83 ^ t[59];
    vec x85 = x84 & p[1];
    vec x86 = p[0] & t[60];
    vec x87 = x86 ^ t[61];
    vec x88 = x85 ^ x87;
    vec x89 = x82 ^ x88;
    vec x90 = x75 ^ x89;
    vec x91 = x60 ^ x90;
    vec x92 = p[4] & x59;
    vec x93 = p[0] & t[15];
    vec x94 = x93 ^ t[16];
    vec x95 = x94 & p[1];
    vec x96 = p[0] & t[17];
    vec x97 = x96 ^ t[18];
    vec x98 = x95 ^ x97;
    vec x99 = x98 & p[2];
    vec x100 = p[0] & t[19];
    vec x101 = x100 ^ t[20];
    vec x102 = x101 & p[1];
    vec x103 = p[0] & t[21];
    vec x104 = x103 ^ t[22];
    vec x105 = x102 ^ x104;
    vec x106 = x99 ^ x105;
    vec x107 = x106 & p[3];
    vec x108 = p[0] & t[23];
    vec x109 = x108 ^ t[24];
    vec x110 = x109 & p[1];
    vec x111 = p[0] & t[25];
    vec x112 = x111 ^ t[26];
    vec x113 = x110 ^ x112;
    vec x114 = x113 & p[2];
    vec x115 = p[0] & t[27];
    vec x116 = x115 ^ t[28];
    vec x117 = x116 & p[1];
    vec x118 = p[0] & t[29];
    vec x119 = x118 ^ t[30];
    vec x120 = x117 ^ x119;
    vec x121 = x114 ^ x120;
    vec x122 = x107 ^ x121;
    vec x123 = x92 ^ x122;
    vec x124 = p[10] & x123;
    vec x125 = p[0] & t[62];
    vec x126 = x125 ^ t[63];
    vec x127 = x126 & p[1];
    vec x128 = p[0] & t[64];
    vec x129 = x128 ^ t[65];
    vec x130 = x127 ^ x129;
    vec x131 = x130 & p[2];
    vec x132 = p[0] & t[66];
    vec x133 = x132 ^ t[67];
    vec x134 = x133 & p[1];
    vec x135 = p[0] & t[68];
    vec x136 = x135 ^ t[69];
    vec x137 = x134 ^ x136;
    vec x138 = x131 ^ x137;
    vec x139 = x138 & p[3];
    vec x140 = p[0] & t[70];
    vec x141 = x140 ^ t[71];
    vec x142 = x141 & p[1];
    vec x143 = p[0] & t[72];
    vec x144 = x143 ^ t[73];
    vec x145 = x142 ^ x144;
    vec x146 = x145 & p[2];
    vec x147 = p[0] & t[74];
    vec x148 = x147 ^ t[75];
    vec x149 = x148 & p[1];
    vec x150 = p[0] & t[76];
    vec x151 = x150 ^ t[77];
    vec x152 = x149 ^ x151;
    vec x153 = x146 ^ x152;
    vec x154 = x139 ^ x153;
    vec x155 = x154 & p[4];
    vec x156 = p[0] & t[78];
    vec x157 = x156 ^ t[79];
    vec x158 = x157 & p[1];
    vec x159 = p[0] & t[80];
    vec x160 = x159 ^ t[81];
    vec x161 = x158 ^ x160;
    vec x162 = x161 & p[2];
    vec x163 = p[0] & t[82];
    vec x164 = x163 ^ t[83];
    vec x165 = x164 & p[1];
    vec x166 = p[0] & t[84];
    vec x167 = x166 ^ t[85];
    vec x168 = x165 ^ x167;
    vec x169 = x162 ^ x168;
    vec x170 = x169 & p[3];
    vec x171 = p[0] & t[86];
    vec x172 = x171 ^ t[87];
    vec x173 = x172 & p[1];
    vec x174 = p[0] & t[88];
    vec x175 = x174 ^ t[89];
    vec x176 = x173 ^ x175;
    vec x177 = x176 & p[2];
    vec x178 = p[0] & t[90];
    vec x179 = x178 ^ t[91];
    vec x180 = x179 & p[1];
    vec x181 = p[0] & t[92];
    vec x182 = x181 ^ t[93];
    vec x183 = x180 ^ x182;
    vec x184 = x177 ^ x183;
    vec x185 = x170 ^ x184;
    vec x186 = x155 ^ x185;
    vec x187 = x124 ^ x186;
    vec x188 = x91 ^ x187;
    vec x189 = x43 ^ x188;
    vec x190 = x19 ^ x189;
    vec x191 = x7 ^ x190;
    vec x192 = x1 ^ x191;
    value[0] = x192;
}

static inline ALWAYS void gate_46fb846b9f90ab62_multiplied(const vec *l, vec *value)
{
    vec x0 = l[0] & l[1];
    vec x1 = l[0] & l[2];
    vec x2 = l[1] & l[2];
    vec x3 = x0 & l[2];
    vec x4 = l[0] & l[3];
    vec x5 = l[1] & l[3];
    vec x6 = x0 & l[3];
    vec x7 = l[2] & l[3];
    vec x8 = x1 & l[3];
    vec x9 = x2 & l[3];
    vec x10 = x3 & l[3];
    vec x11 = l[0] & l[4];
    vec x12 = l[1] & l[4];
    vec x13 = x0 & l[4];
    vec x14 = l[2] & l[4];
    vec x15 = x1 & l[4];
    vec x16 = x2 & l[4];
    vec x17 = x3 & l[4];
    vec x18 = l[3] & l[4];
    vec x19 = x4 & l[4];
    vec x20 = x5 & l[4];
    vec x21 = x6 & l[4];
    vec x22 = x7 & l[4];
    vec x23 = x8 & l[4];
    vec x24 = x9 & l[4];
    vec x25 = x10 & l[4];
    vec x26 = l[0] & l[6];
    vec x27 = l[0] & l[7];
    vec x28 = l[1] & l[7];
    vec x29 = x0 & l[7];
    vec x30 = l[0] & l[8];
    vec x31 = l[1] & l[8];
    vec x32 = x0 & l[8];
    vec x33 = l[2] & l[8];
    vec x34 = x1 & l[8];
    vec x35 = x2 & l[8];
    vec x36 = x3 & l[8];
    vec x37 = l[0] & l[9];
    vec x38 = l[1] & l[9];
    vec x39 = x0 & l[9];
    vec x40 = l[2] & l[9];
    vec x41 = x1 & l[9];
    vec x42 = x2 & l[9];
    vec x43 = x3 & l[9];
    vec x44 = l[3] & l[9];
    vec x45 = x4 & l[9];
    vec x46 = x5 & l[9];
    vec x47 = x6 & l[9];
    vec x48 = x7 & l[9];
    vec x49 = x8 & l[9];
    vec x50 = x9 & l[9];
    vec x51 = x10 & l[9];
    vec x52 = l[0] & l[10];
    vec x53 = l[1] & l[10];
    vec x54 = x0 & l[10];
    vec x55 = l[2] & l[10];
    vec x56 = x1 & l[10];
    vec x57 = x2 & l[10];
    vec x58 = x3 & l[10];
    vec x59 = l[3] & l[10];
    vec x60 = x4 & l[10];
    vec x61 = x5 & l[10];
    vec x62 = x6 & l[10];
    vec x63 = x7 & l[10];
    vec x64 = x8 & l[10];
    vec x65 = x9 & l[10];
    vec x66 = x10 & l[10];
    vec x67 = l[4] & l[10];
    vec x68 = x11 & l[10];
    vec x69 = x12 & l[10];
    vec x70 = x13 & l[10];
    vec x71 = x14 & l[10];
    vec x72 = x15 & l[10];
    vec x73 = x16 & l[10];
    vec x74 = x17 & l[10];
    vec x75 = x18 & l[10];
    vec x76 = x19 & l[10];
    vec x77 = x20 & l[10];
    vec x78 = x21 & l[10];
    vec x79 = x22 & l[10];
    vec x80 = x23 & l[10];
    vec x81 = x24 & l[10];
    vec x82 = x25 & l[10];
    value[0] = x0;
    value[1] = x1;
    value[2] = x2;
    value[3] = x3;
    value[4] = x4;
    value[5] = x5;
    value[6] = x6;
    value[7] = x7;
    value[8] = x8;
    value[9] = x9;
    value[10] = x10;
    value[11] = x11;
    value[12] = x12;
    value[13] = x13;
    value[14] = x14;
    value[15] = x15;
    value[16] = x16;
    value[17] = x17;
    value[18] = x18;
    value[19] = x19;
    value[20] = x20;
    value[21] = x21;
    value[22] = x22;
    value[23] = x23;
    value[24] = x24;
    value[25] = x25;
    value[26] = x26;
    value[27] = x27;
    value[28] = x28;
    value[29] = x29;
    value[30] = x30;
    value[31] = x31;
    value[32] = x32;
    value[33] = x33;
    value[34] = x34;
    value[35] = x35;
    value[36] = x36;
    value[37] = x37;
    value[38] = x38;
    value[39] = x39;
    value[40] = x40;
    value[41] = x41;
    value[42] = x42;
    value[43] = x43;
    value[44] = x44;
    value[45] = x45;
    value[46] = x46;
    value[47] = x47;
    value[48] = x48;
    value[49] = x49;
    value[50] = x50;
    value[51] = x51;
    value[52] = x52;
    value[53] = x53;
    value[54] = x54;
    value[55] = x55;
    value[56] = x56;
    value[57] = x57;
    value[58] = x58;
    value[59] = x59;
    value[60] = x60;
    value[61] = x61;
    value[62] = x62;
    value[63] = x63;
    value[64] = x64;
    value[65] = x65;
    value[66] = x66;
    value[67] = x67;
    value[68] = x68;
    value[69] = x69;
    value[70] = x70;
    value[71] = x71;
    value[72] = x72;
    value[73] = x73;
    value[74] = x74;
    value[75] = x75;
    value[76] = x76;
    value[77] = x77;
    value[78] = x78;
    value[79] = x79;
    value[80] = x80;
    value[81] = x81;
    value[82] = x82;
}

static inline ALWAYS void gate_46fb846b9f90ab62_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[11], t[94], value[1];
    for (int wire = 0; wire < 11; wire++)
        p[wire] = load(public + wire * k, count);
    t[0] = load(masks + 0 * k, count);
    t[1] = load(masks + 1 * k, count);
    t[2] = load(dealt + 0 * k, count);
    t[3] = load(masks + 2 * k, count);
    t[4] = load(dealt + 1 * k, count);
    t[5] = load(dealt + 2 * k, count);
    t[6] = load(dealt + 3 * k, count);
    t[7] = load(masks + 3 * k, count);
    t[8] = load(dealt + 4 * k, count);
    t[9] = load(dealt + 5 * k, count);
    t[10] = load(dealt + 6 * k, count);
    t[11] = load(dealt + 7 * k, count);
    t[12] = load(dealt + 8 * k, count);
    t[13] = load(dealt + 9 * k, count);
    t[14] = load(dealt + 10 * k, count);
    t[15] = load(masks + 4 * k, count);
    t[16] = load(dealt + 11 * k, count);
    t[17] = load(dealt + 12 * k, count);
    t[18] = load(dealt + 13 * k, count);
    t[19] = load(dealt + 14 * k, count);
    t[20] = load(dealt + 15 * k, count);
    t[21] = load(dealt + 16 * k, count);
    t[22] = load(dealt + 17 * k, count);
    t[23] = load(dealt + 18 * k, count);
    t[24] = load(dealt + 19 * k, count);
    t[25] = load(dealt + 20 * k, count);
    t[26] = load(dealt + 21 * k, count);
    t[27] = load(dealt + 22 * k, count);
    t[28] = load(dealt + 23 * k, count);
    t[29] = load(dealt + 24 * k, count);
    t[30] = load(dealt + 25 * k, count);
    t[31] = load(masks + 5 * k, count);
    t[32] = load(masks + 6 * k, count);
    t[33] = load(dealt + 26 * k, count);
    t[34] = load(masks + 7 * k, count);
    t[35] = load(dealt + 27 * k, count);
    t[36] = load(dealt + 28 * k, count);
    t[37] = load(dealt + 29 * k, count);
    t[38] = load(masks + 8 * k, count);
    t[39] = load(dealt + 30 * k, count);
    t[40] = load(dealt + 31 * k, count);
    t[41] = load(dealt + 32 * k, count);
    t[42] = load(dealt + 33 * k, count);
    t[43] = load(dealt + 34 * k, count);
    t[44] = load(dealt + 35 * k, count);
    t[45] = load(dealt + 36 * k, count);
    t[46] = load(masks + 9 * k, count);
    t[47] = load(dealt + 37 * k, count);
    t[48] = load(dealt + 38 * k, count);
    t[49] = load(dealt + 39 * k, count);
    t[50] = load(dealt + 40 * k, count);
    t[51] = load(dealt + 41 * k, count);
    t[52] = load(dealt + 42 * k, count);
    t[53] = load(dealt + 43 * k, count);
    t[54] = load(dealt + 44 * k, count);
    t[55] = load(dealt + 45 * k, count);
    t[56] = load(dealt + 46 * k, count);
    t[57] = load(dealt + 47 * k, count);
    t[58] = load(dealt + 48 * k, count);
    t[59] = load(dealt + 49 * k, count);
    t[60] = load(dealt + 50 * k, count);
    t[61] = load(dealt + 51 * k, count);
    t[62] = load(masks + 10 * k, count);
    t[63] = load(dealt + 52 * k, count);
    t[64] = load(dealt + 53 * k, count);
    t[65] = load(dealt + 54 * k, count);
    t[66] = load(dealt + 55 * k, count);
    t[67] = load(dealt + 56 * k, count);
    t[68] = load(dealt + 57 * k, count);
    t[69] = load(dealt + 58 * k, count);
    t[70] = load(dealt + 59 * k, count);
    t[71] = load(dealt + 60 * k, count);
    t[72] = load(dealt + 61 * k, count);
    t[73] = load(dealt + 62 * k, count);
    t[74] = load(dealt + 63 * k, count);
    t[75] = load(dealt + 64 * k, count);
    t[76] = load(dealt + 65 * k, count);
    t[77] = load(dealt + 66 * k, count);
    t[78] = load(dealt + 67 * k, count);
    t[79] = load(dealt + 68 * k, count);
    t[80] = load(dealt + 69 * k, count);
    t[81] = load(dealt + 70 * k, count);
    t[82] = load(dealt + 71 * k, count);
    t[83] = load(dealt + 72 * k, count);
    t[84] = load(dealt + 73 * k, count);
    t[85] = load(dealt + 74 * k, count);
    t[86] = load(dealt + 75 * k, count);
    t[87] = load(dealt + 76 * k, count);
    t[88] = load(dealt + 77 * k, count);
    t[89] = load(dealt + 78 * k, count);
    t[90] = load(dealt + 79 * k, count);
    t[91] = load(dealt + 80 * k, count);
    t[92] = load(dealt + 81 * k, count);
    t[93] = load(dealt + 82 * k, count);
    gate_46fb846b9f90ab62_values(every(constant), p, t, value);
    for (int place = 0; place < 1; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void gate_46fb846b9f90ab62_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_46fb846b9f90ab62_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        gate_46fb846b9f90ab62_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void gate_46fb846b9f90ab62_products_at(const word *masks, word *out, size k, size count)
{
    vec l[11], value[83];
    for (int wire = 0; wire < 11; wire++)
        l[wire] = load(masks + wire * k, count);
    gate_46fb846b9f90ab62_multiplied(l, value);
    for (int place = 0; place < 83; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void gate_46fb846b9f90ab62_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        gate_46fb846b9f90ab62_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        gate_46fb846b9f90ab62_products_at(masks + c, out + c, k, k - c);
}
