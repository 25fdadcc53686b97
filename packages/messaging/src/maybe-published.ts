/**
 * Marks a message that may already have been published, and handled: the dispatcher then looks for its record before it sends.
 * Code says `maybePublished`. On the wire the header is `claim-first` and in documents the field is `claim_first`, which stay.
 */
export const MAYBE_PUBLISHED_HEADER = 'claim-first'
