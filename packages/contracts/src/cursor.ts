/**
 * Any cursor: base64url. A cursor has no format of a merchant's text, whose check for card numbers reads base64 and would refuse some
 * of our own cursors.
 */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$'

/**
 * Cursors are base64url of `<13 digits of milliseconds>/<id>`. These patterns match exactly such texts, so that a schema says which
 * cursors are refused. Three bytes are four characters, whose sets follow from the bytes' bits.
 */
const THREE_DIGITS = '(?:[MN][DTjz]|O[DT])[AEIMQUYcgk][w-z0-5]'
/** Twelve digits, then the last one and the slash; the two characters that follow hold two bits of the slash and the id's first byte. */
const TIME = `(?:${THREE_DIGITS}){4}(?:[MN][CSiy]|O[CS])`

/** Printable ASCII: three bytes, two at the end, one at the end. */
const PRINTABLE_TWO = '[I-Za-f][C-HS-Xi-ny-z0-3]'
const PRINTABLE_THREE = `${PRINTABLE_TWO}(?:[BFJNRVZdhlptx159][A-Za-z0-9_-]|[AEIMQUYcgkosw048][g-z0-9_-])`
const PRINTABLE_END = `(?:${PRINTABLE_TWO}[AEIMQUYcgkosw048]|[I-Za-f][AQgw])?`

/** After the time, an id of printable characters. */
export const DELIVERY_CURSOR_PATTERN = `^${TIME}(?:8[g-z0-9_-]|9[A-Za-z0-9_-])(?:${PRINTABLE_THREE}){0,58}${PRINTABLE_END}$`

/** A hexadecimal byte before a digit, and before a letter. */
const HEX_THEN_DIGIT = '(?:[MN][DTjz]|O[DT]|Y[Tjz]|Z[DTj])'
const HEX_THEN_LETTER = '(?:[MN][GWm2]|O[GW]|Y[Wm2]|Z[GWm])'
const HEX_THREE = `(?:${HEX_THEN_DIGIT}(?:[AEIMQUYcgk][w-z0-5]|[BFJNRVZdhl][h-m])|${HEX_THEN_LETTER}(?:[EIMQUY][w-z0-5]|[FJNRVZ][h-m]))`
const HEX_END = `(?:${HEX_THEN_DIGIT}[AEIMQUYcgk]|${HEX_THEN_LETTER}[EIMQUY])`

/** After the time, 24 hexadecimal digits. */
export const AUDIT_CURSOR_PATTERN = `^${TIME}(?:8[w-z0-5]|9[h-m])${HEX_THREE}{7}${HEX_END}$`
