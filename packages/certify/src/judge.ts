/** Turns observations into verdicts. Pure: no I/O, no clock. */

/** The result of a check. `not_observed`: no answer was wrong, but without a probe the effect could not be seen. */
export const RESULTS = ['pass', 'fail', 'warn', 'skipped', 'not_observed'] as const
export type Result = (typeof RESULTS)[number]

export interface Verdict {
  readonly result: Result
  /** One sentence for the merchant's developer. */
  readonly reason: string
}

export const passed: Verdict = { result: 'pass', reason: '' }
export const failed = (reason: string): Verdict => ({ result: 'fail', reason })
export const warned = (reason: string): Verdict => ({ result: 'warn', reason })
export const notObserved = (reason: string): Verdict => ({ result: 'not_observed', reason })

/** How bad a result is; `skipped` is decided before a check runs. */
const ORDER: readonly Result[] = ['pass', 'skipped', 'warn', 'not_observed', 'fail']

/** The verdict of a check with several parts: the worst result, with the reasons of that result. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  const result = ORDER.findLast((one) => verdicts.some((verdict) => verdict.result === one)) ?? 'pass'
  const reasons = verdicts.filter((one) => one.result === result && one.reason !== '').map(({ reason }) => reason)
  return { result, reason: [...new Set(reasons)].join(' ') }
}

/** How the receiver answered. */
export interface Answer {
  /** `null` when it did not answer; then `error` says why. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** What the probe says about an order. */
export interface Effect {
  readonly state: string
  readonly fulfilled: number
}

/** The effect that an order must have at the end of the run. */
export interface Expectation {
  readonly orderId: string
  readonly fulfilled: 0 | 1
}

const SECRET_HINT = 'does it have the secret that pgw listen --print-secret shows?'

export function acknowledged({ status, error }: Answer): Verdict {
  if (status === 200) return passed
  if (status === null) return failed(`There was no answer: ${error ?? 'unknown'}.`)
  if (status === 410) return failed('It answered 410, which disables the URL.')
  if (status === 401 || status === 403) return failed(`It answered ${status} to a genuine webhook: ${SECRET_HINT}`)
  return failed(`It answered ${status}: only 200 acknowledges a webhook.`)
}

export function refused({ status, error }: Answer, what: string): Verdict {
  if (status === null) return failed(`${what}: there was no answer: ${error ?? 'unknown'}.`)
  if (status === 410) return failed(`${what}: it answered 410, which disables the URL.`)
  if (status >= 200 && status < 400) return failed(`${what}: it was not refused, the answer was ${status}.`)
  return status < 500 ? passed : warned(`${what}: the answer was ${status}; answer 401 instead.`)
}

/** After an invalid request: any answer except 410 shows that the receiver keeps running. */
export function alive({ status, error }: Answer, what: string): Verdict {
  if (status === null) return failed(`${what}: there was no answer: ${error ?? 'unknown'}.`)
  return status === 410 ? failed(`${what}: it answered 410, which disables the URL.`) : passed
}

/** @param effect `undefined` when there is no probe */
export function expected({ orderId, fulfilled: wanted }: Expectation, effect: Effect | undefined): Verdict {
  if (!effect) return notObserved('There is no probe, so the effect was not observed.')
  const { state, fulfilled } = effect
  if (wanted === 0 && fulfilled > 0) return failed(`${orderId} was fulfilled, but it is not paid.`)
  if (fulfilled > wanted) return failed(`${orderId} was fulfilled ${fulfilled} times instead of once.`)
  if (fulfilled < wanted) return failed(`${orderId} was not fulfilled.`)
  if (wanted === 1 && state !== 'paid') return failed(`${orderId} is paid, but its state became ${JSON.stringify(state)}.`)
  if (wanted === 0 && state === 'paid') return failed(`${orderId} has the state "paid", but it is not paid.`)
  return passed
}

/** A call of the test instance to the gateway, as the proxy saw it. */
export interface Call {
  /** The same number for the same token. */
  readonly token: number
  readonly orderId: string
  /** What the caller got; `null` when the answer was dropped. */
  readonly status: number | null
  readonly code: string | null
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly retryAfterSeconds: number | null
}

/** Timers may fire this much early. */
const TOLERANCE_MS = 100

/** After `token_expired` the caller must use another token, after 429 wait for `Retry-After`, and finally succeed. */
export function waitedOut(calls: readonly Call[], what: string): Verdict[] {
  if (calls.length === 0) return [failed(`The test instance sent no ${what} request.`)]
  const verdicts = calls.flatMap((call, index): Verdict[] => {
    const next = calls[index + 1]
    if (!next) return []
    if (call.code === 'token_expired' && next.token === call.token)
      return [failed(`After token_expired, the test instance repeated ${what} with the same token.`)]
    const waitedMs = next.startedAtMs - call.endedAtMs
    if (call.retryAfterSeconds !== null && waitedMs < call.retryAfterSeconds * 1000 - TOLERANCE_MS)
      return [
        failed(
          `After a 429 with Retry-After: ${call.retryAfterSeconds}, the test instance repeated ${what} after ${waitedMs} ms.`,
        ),
      ]
    return []
  })
  const ended = calls.some(({ status }) => status !== null && status < 300)
  return ended ? verdicts : [...verdicts, failed(`The test instance did not repeat the refused ${what} until it succeeded.`)]
}

/** After a lost answer the test instance must send the same `order_id` again. */
export function repeatedAsTheSame(calls: readonly Call[]): Verdict {
  const [first, ...later] = calls
  if (!first) return failed('The test instance created no order through the proxy.')
  const other = later.find(({ orderId }) => orderId !== first.orderId)
  if (other)
    return failed(`After the lost answer to ${first.orderId}, the test instance sent another order_id, ${other.orderId}.`)
  return later.some(({ status }) => status !== null && status < 300)
    ? passed
    : failed(`After the lost answer to ${first.orderId}, the test instance did not send it again.`)
}

/**
 * The receiver may fulfil only after search has confirmed the payment.
 *
 * @param confirmedAtMs when the proxy passed on the first answer of search that says Success; `undefined` without one
 * @param fulfilledAtMs when the probe first showed the fulfilment; `undefined` when it never did, which `expected` judges
 */
export function searchedFirst(confirmedAtMs: number | undefined, fulfilledAtMs: number | undefined): Verdict {
  if (fulfilledAtMs === undefined) return passed
  if (confirmedAtMs === undefined) return failed('The order was fulfilled without a search.')
  return fulfilledAtMs >= confirmedAtMs ? passed : failed('The order was fulfilled before the search had answered.')
}
