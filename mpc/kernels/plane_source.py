"""The C functions on planes, blocks and places that belong to no gate."""

TURN = """\
static inline ALWAYS void ${NAME}_at(word *rows, size four, int unit, word mask_of_two,
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

static inline ALWAYS void ${NAME}_all(word *rows, size four, int unit, word mask_of_two,
    word mask_of_one, size m)
{
    size c = 0;
    for (; c + LANES <= m; c += LANES)
        ${NAME}_at(rows + c, four, unit, mask_of_two, mask_of_one, m, LANES);
    if (c < m)
        ${NAME}_at(rows + c, four, unit, mask_of_two, mask_of_one, m, m - c);
}

/* in place: so many times four rows of m words, turned by the digit whose unit is 4 or 16 */
void $NAME(word *rows, size four, int unit, size m)
{
    if (unit == 4)
        ${NAME}_all(rows, four, 4, 0x00ff00ff00ff00ffu, 0x0f0f0f0f0f0f0f0fu, m);
    else
        ${NAME}_all(rows, four, 16, 0x00000000ffffffffu, 0x0000ffff0000ffffu, m);
}
"""

ARRANGE = """\
static inline ALWAYS void ${NAME}_at(const word *values, const word *masks, word *out,
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

static inline ALWAYS void ${NAME}_all(const word *values, const word *masks, word *out,
    size groups, int unit, word mask_of_two, word mask_of_one, int first, int last, size m)
{
    size c = 0;
    for (; c + LANES <= m; c += LANES)
        ${NAME}_at(values + c, masks + c, out + c, groups, unit, mask_of_two, mask_of_one, first,
            last, m, LANES);
    if (c < m)
        ${NAME}_at(values + c, masks + c, out + c, groups, unit, mask_of_two, mask_of_one, first,
            last, m, m - c);
}

/* out: the four rows of each group, turned by the digit whose unit is 4 or 16, xor masks: from the
   last row on, as the wires `first` to first + 2 and `last`, or as three if that is below 0 */
void $NAME(const word *values, const word *masks, word *out, size groups, int unit, size m,
    int first, int last)
{
    if (unit == 4)
        ${NAME}_all(values, masks, out, groups, 4, 0x00ff00ff00ff00ffu, 0x0f0f0f0f0f0f0f0fu, first,
            last, m);
    else
        ${NAME}_all(values, masks, out, groups, 16, 0x00000000ffffffffu, 0x0000ffff0000ffffu, first,
            last, m);
}
"""

BITS = """\
/* out: for each of n <= 64 m elements its bit of the plane, xor the sign of its word */
void $NAME(const word *plane, const word *signed_words, word *restrict out,
    size m, size n)
{
    for (size row = 0; row * m < n; row++) {
        size first = row * m, count = n - first < m ? n - first : m;
        for (size c = 0; c < count; c++)
            out[first + c] = (plane[c] >> row & 1) ^ signed_words[first + c] >> 63;
    }
}
"""

CHOSEN = """\
/* out: e·y + (1 - 2e)·(bit·z - product), where e is an element's bit of the plane, xor the sign of
   its word */
void $NAME(const word *plane, const word *signed_words, const word *z, const word *y,
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
"""

SUBTRACT = """\
/* out: upper - lower, of rows that begin `stride` words after each other */
void $NAME(const word *upper, const word *lower, word *restrict out, size rows, size run,
    size stride)
{
    for (; rows > 0; rows--, upper += stride, lower += stride, out += run)
        for (size c = 0; c < run; c++)
            out[c] = upper[c] - lower[c];
}
"""

EXCHANGE = """\
/* larger: upper - t, and smaller: lower + t, where t = e·y + (1 - 2e)·(bit·z - product) for
   y = upper - lower; e is an element's bit of the plane, xor the sign of its word. The places lie
   in rows that begin `stride` words after each other; the first one belongs to the element
   `first` of the block. What is written may be what is read. */
void $NAME(const word *plane, const word *signed_words, const word *z, const word *bit,
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
"""
