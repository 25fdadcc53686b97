/**
 * Keys for one purpose, derived from the keys in `CHECKOUT_LINK_KEY`. The first one makes ids, tokens and cookies. Those of the other
 * keys are also accepted while the key is replaced.
 */
export type LiveKeys = readonly [Buffer, ...Buffer[]]
