/**
 * Marks a message that may already have been published and handled: the dispatcher claims the delivery record before it sends.
 * In code `isMaybePublished`. The stored names are older and stay (ADR 15): header `claim-first`, field `claim_first`.
 */
export const MAYBE_PUBLISHED_HEADER = 'claim-first'
