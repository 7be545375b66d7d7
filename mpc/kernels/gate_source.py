"""The C functions of one gate: its polynomials and its products of masks, in one pass each.

A function works on LANES words of every plane at a time, in the registers and the innermost cache,
where numpy would write every intermediate plane to memory. Its statements are the operations of
`Gate.values`, which `Gate.evaluate` has numpy do on whole planes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from ppaurora.mpc.gates import Gate

NIBBLE_BITS = 4


class _Lines:
    """Statements, each of which names a value."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def name(self, expression: str) -> str:
        variable = f"x{len(self.text)}"
        self.text.append(f"vec {variable} = {expression};")
        return variable


@dataclass(frozen=True, slots=True)
class _Value:
    """A value in C: what is computed from it is one more statement."""

    lines: _Lines
    name: str

    def __and__(self, other: _Value) -> _Value:
        return _Value(self.lines, self.lines.name(f"{self.name} & {other.name}"))

    def __xor__(self, other: _Value) -> _Value:
        return _Value(self.lines, self.lines.name(f"{self.name} ^ {other.name}"))


def values_text(gate: Gate) -> str:
    """The body that sets `value` from the public bits `p` and the shares `t` of the λ_T.

    `constant` holds ones at P0 and zeros at P1, for the share of 1.
    """
    lines = _Lines()
    public = [_Value(lines, f"p[{wire}]") for wire in range(gate.wires)]
    table = [_Value(lines, f"t[{row}]") for row in range(len(gate.table))]
    values = gate.values(_Value(lines, "constant"), public, table)
    stores = [f"value[{place}] = {value.name};" for place, value in enumerate(values)]
    return _indented([*lines.text, *stores])


def products_text(gate: Gate) -> str:
    """The body that sets `value` to the dealt λ_T, from the masks `l`."""
    lines = _Lines()
    of_row: list[str] = []
    for subset in gate.table:
        wire = subset.bit_length() - 1
        rest = subset ^ 1 << wire
        # λ_T = λ_(T without its highest wire) · λ_wire
        product = lines.name(f"{of_row[gate.row[rest]]} & l[{wire}]") if rest else f"l[{wire}]"
        of_row.append(product)
    stores = [f"value[{place}] = {of_row[row]};" for place, row in enumerate(gate.dealt_rows)]
    return _indented([*lines.text, *stores])


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _from_table(gate: Gate) -> str:
    """The body that loads `t`: what was dealt, and the own shares of the masks where they are."""
    dealt = {row: f"dealt + {place} * k" for place, row in enumerate(gate.dealt_rows)}
    own = {row: f"masks + {wire} * k" for wire, row in enumerate(gate.singles)}
    rows = (dealt.get(row) or own[row] for row in range(len(gate.table)))
    return _indented([f"t[{row}] = load({place}, count);" for row, place in enumerate(rows)])


TEMPLATE = """\
static inline ALWAYS void ${NAME}_values(vec constant, const vec *p, const vec *t,
    vec *value)
{
$VALUES
}

static inline ALWAYS void ${NAME}_multiplied(const vec *l, vec *value)
{
$PRODUCTS
}

static inline ALWAYS void ${NAME}_evaluate_at(word constant, const word *public,
    const word *dealt, const word *masks, word *out, size k, size count)
{
    vec p[$WIRES], t[$ROWS], value[$VALUED];
    for (int wire = 0; wire < $WIRES; wire++)
        p[wire] = load(public + wire * k, count);
$TABLE
    ${NAME}_values(every(constant), p, t, value);
    for (int place = 0; place < $VALUED; place++)
        store(out + place * k, value[place], count);
}

/* out: a share of each polynomial's values, from k words of each public, dealt and own plane */
void ${NAME}_evaluate(word constant, const word *public, const word *dealt,
    const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        ${NAME}_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, LANES);
    if (c < k)
        ${NAME}_evaluate_at(constant, public + c, dealt + c, masks + c, out + c, k, k - c);
}

static inline ALWAYS void ${NAME}_products_at(const word *masks, word *out, size k, size count)
{
    vec l[$WIRES], value[$DEALT];
    for (int wire = 0; wire < $WIRES; wire++)
        l[wire] = load(masks + wire * k, count);
    ${NAME}_multiplied(l, value);
    for (int place = 0; place < $DEALT; place++)
        store(out + place * k, value[place], count);
}

/* out: the dealt products, from k words of each mask */
void ${NAME}_products(const word *masks, word *out, size k)
{
    size c = 0;
    for (; c + LANES <= k; c += LANES)
        ${NAME}_products_at(masks + c, out + c, k, LANES);
    if (c < k)
        ${NAME}_products_at(masks + c, out + c, k, k - c);
}
"""

NIBBLE_TEMPLATE = """\
static inline ALWAYS void ${NAME}_on_nibbles_at(word constant, word mask, const word *words,
    const word *dealt, word *out, size m, size count)
{
    vec a[4], p[4], t[$ROWS], value[$VALUED];
    nibbles(a, words, mask, m, count);
    for (int bit = 0; bit < 4; bit++)
        p[bit] = ~a[3 - bit];
    for (int place = 0; place < $ROWS; place++)
        t[place] = load(dealt + place * 16 * m, count);
    ${NAME}_values(every(constant), p, t, value);
    for (int place = 0; place < $VALUED; place++)
        store(out + place * 16 * m, value[place], count);
}

/* the same on the nibbles of the words' bits in `mask`, whose complements are the public bits */
void ${NAME}_on_nibbles(word constant, word mask, const word *words,
    const word *dealt, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, dealt += m, out += m) {
        size c = 0;
        for (; c + LANES <= m; c += LANES)
            ${NAME}_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, LANES);
        if (c < m)
            ${NAME}_on_nibbles_at(constant, mask, words + c, dealt + c, out + c, m, m - c);
    }
}

static inline ALWAYS void ${NAME}_products_of_nibbles_at(word mask, const word *words, word *out,
    size m, size vecs, size count)
{
    vec products[$DEALT][PAIR];
    for (size v = 0; v < vecs; v++, words += LANES) {
        vec a[4], l[4], value[$DEALT];
        nibbles(a, words, mask, m, count);
        for (int bit = 0; bit < 4; bit++)
            l[bit] = a[3 - bit];
        ${NAME}_multiplied(l, value);
        for (int place = 0; place < $DEALT; place++)
            products[place][v] = value[place];
    }
    for (int place = 0; place < $DEALT; place++)
        memcpy(out + place * 16 * m, products[place], sizeof(word) * vecs * count);
}

/* the same for masks that are the nibbles of the words' bits in `mask` */
void ${NAME}_products_of_nibbles(word mask, const word *words, word *out, size m)
{
    for (int row = 0; row < 16; row++, words += 4 * m, out += m) {
        size c = 0;
        for (; c + PAIR * LANES <= m; c += PAIR * LANES)
            ${NAME}_products_of_nibbles_at(mask, words + c, out + c, m, PAIR, LANES);
        for (; c + LANES <= m; c += LANES)
            ${NAME}_products_of_nibbles_at(mask, words + c, out + c, m, 1, LANES);
        if (c < m)
            ${NAME}_products_of_nibbles_at(mask, words + c, out + c, m, 1, m - c);
    }
}
"""


def gate_text(gate: Gate) -> str:
    """All functions of the gate, whose names begin with $NAME."""
    text = TEMPLATE + (f"\n{NIBBLE_TEMPLATE}" if compares_nibbles(gate) else "")
    return Template(text).safe_substitute(
        VALUES=values_text(gate),
        PRODUCTS=products_text(gate),
        TABLE=_from_table(gate),
        WIRES=gate.wires,
        ROWS=len(gate.table),
        VALUED=len(gate.polynomials),
        DEALT=gate.dealt,
    )


def compares_nibbles(gate: Gate) -> bool:
    """Whether its wires can be the bits of a nibble, whose masks the helper alone knows."""
    return gate.wires == NIBBLE_BITS and gate.dealt == len(gate.table)
