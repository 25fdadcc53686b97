/** Limits by merchant, link and address: token buckets, where a request came from, and caches with a bound. */
export * from './client-address.ts'
export { boundedCache, createRateLimiter, type RateLimiter } from './rate-limiter.ts'
