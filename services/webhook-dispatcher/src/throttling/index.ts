/** Decides whether an exchange with an endpoint may start now. Knows endpoints only as keys. */
export { type Breaker, type BreakerRules, createCircuitBreakers } from './circuit-breaker.ts'
export { createInFlightLimit, type InFlightLimit, type Priority } from './in-flight-limit.ts'
export { createThrottle, type Denied, type Slot, type Throttle } from './throttle.ts'
