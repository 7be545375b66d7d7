"""What every C function shares: vectors of words, the nibbles of a block's words, and its name."""

from __future__ import annotations

import hashlib

PRELUDE = """\
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
"""


def named(kind: str, text: str) -> str:
    """The name of a function or of several, whose text this is."""
    digest = hashlib.sha256((PRELUDE + text).encode()).hexdigest()[:16]
    return f"{kind}_{digest}"
