import { onStack } from './on-stack.ts'

/** Five payments, seen from a merchant's side. */
export const demo = onStack('demo', 'e2e/demo.ts')
/** A picture of every page that a shopper sees. */
export const screenshots = onStack('screenshots', 'e2e/screenshots.ts')
/** What each page weighs, and how soon it changes when the network reports. */
export const benchCheckout = onStack('bench:checkout', 'e2e/bench-checkout.ts')
/** Each page as a screen reader is given it. */
export const readAloud = onStack('read-aloud', 'e2e/read-aloud.ts')
