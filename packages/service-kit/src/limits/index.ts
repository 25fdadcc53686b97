/** Limits by merchant, link and address: token buckets, where a request came from, and caches with a bound. */
export * from './bounded-cache.ts'
export * from './client-address.ts'
export * from './rate-limiter.ts'
export { isNetwork, readTrustedProxies } from './trusted-proxies.ts'
