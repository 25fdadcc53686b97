export { createFetchPage } from './clients/payment-pages.ts'
export { eventsConsumer, lagMetric } from './consumers/events.ts'
export { makeRebuildPayments } from './use-cases/rebuild-payments.ts'
export { makeStoreCopies, makeStoreCopy } from './use-cases/store-copies.ts'
