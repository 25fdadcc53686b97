/**
 * Marks a message that may already have been published, and handled: its consumer then looks for a record before it acts.
 * Code says `maybePublished`. On the wire the header is `claim-first` and in documents the field is `claim_first`, which stay.
 */
export const MAYBE_PUBLISHED_HEADER = 'claim-first'
