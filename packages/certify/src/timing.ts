/** How long certify waits; only tests pass other values. */
export interface Timing {
  /** For the answer to a webhook: as long as the gateway waits. */
  readonly answerMs: number
  /** For the effect of a webhook, counted from the last one. */
  readonly effectMs: number
  /** After the last effect, before the effects are read again. */
  readonly settleMs: number
  /** For an event of the sandbox. */
  readonly eventMs: number
  /** For the receiver's first answer, before the checks start. */
  readonly reachableMs: number
  /** How long an answer of search is delayed, to see what the receiver does without it. */
  readonly holdMs: number
  /** How long search is unavailable in check 12. Longer than a client usually retries one request. */
  readonly outageMs: number
  readonly retryAfterSeconds: number
  /** `expires_in` of the order whose webhooks are withheld. */
  readonly withheldSeconds: number
  /** `expires_in` of the order that is paid too late. */
  readonly lateSeconds: number
  /** After an order's expiry, the time within which the shop must search for it. */
  readonly reconcileMs: number
}

export const TIMING: Timing = {
  answerMs: 10_000,
  effectMs: 30_000,
  settleMs: 3000,
  eventMs: 60_000,
  reachableMs: 30_000,
  holdMs: 1500,
  outageMs: 5000,
  retryAfterSeconds: 2,
  withheldSeconds: 20,
  lateSeconds: 5,
  reconcileMs: 60_000,
}
