/**
 * Marks a message that may already have been published, and handled: the dispatcher then looks for its record before it sends.
 * Code says `isMaybePublished`. On the wire the header is `claim-first`, in documents the field is `claim_first`: both stay (ADR 15).
 */
export const MAYBE_PUBLISHED_HEADER = 'claim-first'
