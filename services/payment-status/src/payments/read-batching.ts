/**
 * How reads share one command, here and at `order-api` (for customers). After a batch of eight or more the next one starts `pauseMs`
 * later, so that it carries more; a read that hangs holds the next batch up for `slowAfterMs` only (docs/adr/0011).
 */
export const READ_BATCHING = { maxBatchSize: 100, slowAfterMs: 250, pauseMs: 5 } as const
