/** How long certify waits; only tests pass other values. */
export const TIMING = {
  /** For the answer to a webhook: as long as the gateway waits. */
  answerMs: 10_000,
  /** For the effect of a webhook, counted from the last one. */
  effectMs: 30_000,
  /** After the last effect, before the effects are read again. */
  settleMs: 3000,
  /** For an event of the sandbox. */
  eventMs: 60_000,
  /** For the receiver's first answer, before the checks start. */
  reachableMs: 30_000,
  /** How long an answer of search is delayed, to see what the receiver does without it. */
  holdMs: 1500,
  /** How long search is unavailable in check 12. Longer than a client usually retries one request. */
  outageMs: 5000,
  retryAfterSeconds: 2,
  /** `expires_in` of the order whose webhooks are withheld. */
  withheldSeconds: 20,
  /** `expires_in` of the order that is paid too late. */
  lateSeconds: 5,
  /** After an order's expiry, the time within which the shop must search for it. */
  reconcileMs: 60_000,
}
export type Timing = Readonly<typeof TIMING>
