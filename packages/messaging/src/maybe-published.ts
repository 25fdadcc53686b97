/**
 * Marks a message that may already have been published and handled: the dispatcher claims the delivery record before it sends.
 * An outbox entry has it as `maybe_published`.
 */
export const MAYBE_PUBLISHED_HEADER = 'maybe-published'
