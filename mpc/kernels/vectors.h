/* Vectors of words, as all kernels use them: LANES words at a time, in the processor's registers
   and its innermost cache, where numpy would write every intermediate plane to memory. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 8
#define ALWAYS __attribute__((always_inline))

typedef uint64_t word;
typedef uint32_t half;
typedef ptrdiff_t size;
typedef word vec __attribute__((vector_size(8 * LANES)));
typedef half halves __attribute__((vector_size(8 * LANES)));

/* Do `work`, which reads `c` and `count`, for each LANES words of k, and for those left over. */
#define FOR_EACH_VECTOR(k, work)                      \
    do {                                              \
        size c = 0;                                   \
        for (; c + LANES <= (k); c += LANES) {        \
            const size count = LANES;                 \
            work;                                     \
        }                                             \
        if (c < (k)) {                                \
            const size count = (k) - c;               \
            work;                                     \
        }                                             \
    } while (0)

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

/* The sums of words, or of the numbers mod 2^32 of which each word holds two. */
static inline ALWAYS vec sum(int numbers, vec one, vec other)
{
    return numbers == 1 ? one + other : (vec)((halves)one + (halves)other);
}

static inline ALWAYS vec every(word same)
{
    return same - (vec){0};
}

/* Exchange the bits of `mask` in `high` with those of `low` that lie `shift` above them. */
static inline ALWAYS void swap_bits(vec *low, vec *high, int shift, word mask)
{
    vec changed = ((*low >> shift) ^ *high) & mask;
    *high ^= changed;
    *low ^= changed << shift;
}

/* The bits in whose number the bit of value `unit`, or 2·unit, is 0. */
static inline ALWAYS word low_of_two(int unit)
{
    return unit == 1 ? 0x5555555555555555u : unit == 4 ? 0x0f0f0f0f0f0f0f0fu : 0x0000ffff0000ffffu;
}

static inline ALWAYS word low_of_four(int unit)
{
    return unit == 1 ? 0x3333333333333333u : unit == 4 ? 0x00ff00ff00ff00ffu : 0x00000000ffffffffu;
}

/* Transpose four rows, each `apart` from the next: exchange a row's number with the digit, in base 4,
   of the bit number whose unit is 1, 4 or 16 [Hacker's Delight, 7-3]. */
static inline ALWAYS void transpose_four(vec *rows, int apart, int unit)
{
    swap_bits(rows, rows + 2 * apart, 2 * unit, low_of_four(unit));
    swap_bits(rows + apart, rows + 3 * apart, 2 * unit, low_of_four(unit));
    swap_bits(rows, rows + apart, unit, low_of_two(unit));
    swap_bits(rows + 2 * apart, rows + 3 * apart, unit, low_of_two(unit));
}
