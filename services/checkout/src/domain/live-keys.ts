/**
 * Keys that are derived from those of `CHECKOUT_LINK_KEY` for one purpose. The first one makes ids, tokens and cookies. What the others
 * made is accepted, too, while the key changes.
 */
export type LiveKeys = readonly [Buffer, ...Buffer[]]
