import { GatewayError, SignatureError, TimeoutError } from '../errors.ts'
import type { Gateway } from '../gateway.ts'
import { isFinal } from '../resources/orders.ts'
import type { Order } from '../generated/types.ts'
import type { WebhookHeaders } from '../webhooks/headers.ts'
import type { WebhookSecrets } from '../webhooks/sign.ts'
import type { RawBody } from '../webhooks/signature.ts'
import { verify, type WebhookEvent } from '../webhooks/verify.ts'
import { createClaims, type Claims } from './claims.ts'
import type { ReceiverStore } from './store.ts'

export interface ReceiverOptions {
  /** Searches for the order of each final webhook. */
  readonly gateway: Pick<Gateway, 'orders'>
  /** Your signing secret, or several while you rotate it. */
  readonly secrets: WebhookSecrets
  readonly store: ReceiverStore
  /**
   * Called when a payment is `Success` or `Failed`, with the order from a search. Look at `order.transaction.status`. When it
   * throws, the webhook is answered with 500 and comes again.
   *
   * Make it repeatable, such as an update of the order's row that does nothing the second time. It runs again for one event after a
   * crash in the middle; when the process is paused or the store fails for a minute, so that the claim of the event ends; when it
   * runs for more than an hour; and when the store cannot keep the result. Two final events of one payment at the same time may
   * both run it.
   */
  readonly onFinal: (order: Order, event: WebhookEvent) => Promise<void> | void
  /** Called with the event of `endpoint.test()`. */
  readonly onTest?: (event: WebhookEvent) => Promise<void> | void
  /**
   * Called with the reason of every answer but 200: a `SignatureError` for 401, with its `reason`; and when the store could not
   * keep the result of an `onFinal` that succeeded, which is answered with 200. By default it becomes a warning of the process.
   */
  readonly onError?: (error: unknown) => void
  /** The time, for tests. */
  readonly now?: () => Date
}

/** Far above any webhook: a longer body is not genuine. */
export const MAX_BODY_BYTES = 256 * 1024

/** Shorter than a claim of the event, so that a slow search leaves time for `onFinal`. */
const SEARCH_MS = 20_000

/** 200: handled. 401: not genuine. 413: too long to be genuine. 500: not handled now; the gateway sends it again. */
export type ReceiverStatus = 200 | 401 | 413 | 500

export interface Receiver {
  /** Handles one request; never throws. Send the status with an empty body. */
  handle(rawBody: RawBody, headers: WebhookHeaders): Promise<ReceiverStatus>
}

/**
 * A webhook receiver without a framework: verifies, deduplicates by id, ignores older changes, and confirms by search before
 * `onFinal`. For Express, Fastify, Next and others there are ready handlers in `/express`, `/fastify` and `/fetch`.
 *
 * @example
 * const receiver = createReceiver({ gateway, secrets, store: memoryStore(), onFinal: async (order) => release(order) })
 * const status = await receiver.handle(rawBody, request.headers)
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { handle } = createCore(options)
  return { handle }
}

/** What the handlers for frameworks work with. */
export function createCore(options: ReceiverOptions) {
  const report = createReport(options.onError)
  const nowMs = (): number => options.now?.().getTime() ?? Date.now()
  const claims = createClaims({ store: options.store, nowMs, onNotStored: report })
  return {
    report,
    /** Like `Receiver.handle`; the body is `undefined` when it is too long to be read. */
    handle: async (rawBody: RawBody | undefined, headers: WebhookHeaders): Promise<ReceiverStatus> => {
      try {
        if (rawBody === undefined || lengthOf(rawBody) > MAX_BODY_BYTES) throw bodyTooLong()
        const now = options.now?.()
        await receive(await verify(rawBody, headers, options.secrets, now ? { now } : {}), options, claims)
        return 200
      } catch (error) {
        report(error)
        if (error instanceof SignatureError) return error.reason === 'body_too_long' ? 413 : 401
        return 500
      }
    },
  }
}

function lengthOf(body: RawBody): number {
  return typeof body === 'string' ? body.length : body.byteLength
}

/** Why a longer body is answered with 413 and not verified. */
export function bodyTooLong(): SignatureError {
  return new SignatureError(
    `The body is longer than ${MAX_BODY_BYTES} bytes, so it is no webhook of the gateway`,
    'body_too_long',
  )
}

async function receive(event: WebhookEvent, options: ReceiverOptions, claims: Claims): Promise<void> {
  if (event.isTest) {
    await options.onTest?.(event)
    return
  }
  const { status } = event.payload
  // Only the last change of a payment has an effect, so the others need no memory.
  if (status !== 'Success' && status !== 'Failed') return
  await claims.once(event, async () => {
    const order = await withinSearchTime(options.gateway.orders.find(event.payload.merchantTxnId))
    if (order?.transaction.id !== event.payload.txnid || !isFinal(order))
      throw new GatewayError(`The search does not confirm webhook ${event.id}: nothing was done`)
    await options.onFinal(order, event)
  })
}

async function withinSearchTime<T>(search: Promise<T>): Promise<T> {
  let timer
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`The search was not answered within ${SEARCH_MS} ms`)), SEARCH_MS)
  })
  try {
    return await Promise.race([search, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Reports go to `onError`, by default to the warnings of the process. A warning is printed once for each reason of a refusal, because
 * anybody can send any number of forged webhooks.
 */
function createReport(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  const reported = new Set<string>()
  return (error) => {
    try {
      if (onError) {
        onError(error)
        return
      }
      if (error instanceof SignatureError) {
        if (reported.has(error.reason)) return
        reported.add(error.reason)
      }
      globalThis.process.emitWarning(error instanceof Error ? error : String(error))
    } catch {
      // The answer is the same either way.
    }
  }
}
