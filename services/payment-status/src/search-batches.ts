/**
 * How the reads of many searches go together, here and where `order-api` is asked for their customers. A read that is stuck holds up
 * the next one for a quarter of a second; at load, one carries most. Between two reads of many searches there is a pause: with 64
 * callers one carries twice as many then, and a search takes a fifth less CPU. With a longer one the cores wait
 * (docs/performance.md).
 */
export const SEARCH_BATCHES = { maxBatchSize: 100, slowAfterMs: 250, pauseMs: 5 } as const
