import { randomBytes, randomInt } from 'node:crypto'
import { Pool } from 'undici'
import { eventId, readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport, type SigningKey } from '@gateway/contracts'
import { makeToken } from '../payments/token.ts'
import type { GrowthAnswer, GrowthSetup } from './load.ts'
import { inRandomOrder } from './random-order.ts'
import { merchantIndexOf, storedOrderId } from './stored-payment.ts'

/** What is measured at both sizes. No call throws: what became of it is in the answer. False when there is nothing left to call for. */
export interface Caller {
  renewTokens(): Promise<void>
  readonly create: () => Promise<boolean>
  /**
   * Any payment that the databases were filled with, at random, none that was asked for a minute ago: as a merchant confirms a
   * payment. No cache of a service helps.
   */
  readonly search: () => Promise<boolean>
  /** One of a few payments, again and again: as a page that waits for its end. */
  readonly searchAgain: () => Promise<boolean>
  /** The network reports the success of an order made here: signed, recorded with its event when it is answered. */
  readonly change: () => Promise<boolean>
  take(): GrowthAnswer
  close(): Promise<void>
}

interface Unpaid {
  readonly transactionId: string
  readonly amount: string
}

const CONNECTIONS = 64
/** The first so many of the stored orders; the others are for first searches. */
export const SEARCHED_AGAIN = 200
const TIMEOUT_MS = 30_000
/** `payment-status` keeps what it was told of an order's customer for a minute: after that, a search is a first one again. */
const FORGOTTEN_AFTER_MS = 65_000
const TRANSACTION_ID = /"id":"([0-9A-Z]+)"/u
const JSON_TYPE = { 'content-type': 'application/json' }

export function createCaller({ baseUrl, callbackSecret, merchants, stored }: GrowthSetup): Caller {
  const gateway = new Pool(baseUrl, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  const keys = [readSigningSecret(callbackSecret)]
  const runId = randomBytes(4).toString('hex')
  const unpaid: Unpaid[] = []
  const unseen = inRandomOrder(SEARCHED_AGAIN, stored, { restMs: FORGOTTEN_AFTER_MS, nowMs: () => performance.now() })
  let headers: Record<string, string>[] = []
  let made = 0
  let [latenciesMs, eventIds, refused]: [number[], string[], Record<string, number>] = [[], [], {}]

  async function call(path: string, sent: Record<string, string>, body: string | Buffer): Promise<string | undefined> {
    const startedMs = performance.now()
    const answer = await gateway.request({ method: 'POST', path, headers: sent, body }).catch(() => undefined)
    const text = await answer?.body.text().catch(() => undefined)
    if (answer && text !== undefined && answer.statusCode < 300) {
      latenciesMs.push(performance.now() - startedMs)
      return text
    }
    const why = String(answer?.statusCode ?? 'no answer')
    refused[why] = (refused[why] ?? 0) + 1
    return undefined
  }

  async function searchFor(number: number): Promise<void> {
    const merchant = headers[merchantIndexOf(number, headers.length)] ?? {}
    await call('/api/v1/order/search', merchant, JSON.stringify({ order_id: storedOrderId(number) }))
  }

  return {
    async renewTokens() {
      const tokens = await Promise.all(merchants.map(makeToken))
      headers = tokens.map((token) => ({ authorization: `Bearer ${token}`, ...JSON_TYPE }))
    },

    async create() {
      made += 1
      const amount = `${(made % 900) + 100}.00`
      const body = JSON.stringify({ ...ORDER, order_id: `G-${runId}-${made}`, amount })
      const text = await call('/api/v1/orders/create', headers[made % headers.length] ?? {}, body)
      const transactionId = TRANSACTION_ID.exec(text ?? '')?.[1]
      if (transactionId === undefined) return true
      unpaid.push({ transactionId, amount })
      eventIds.push(eventId(transactionId, 1))
      return true
    },

    async search() {
      const number = unseen.next()
      if (number === undefined) return false
      await searchFor(number)
      return true
    },

    async searchAgain() {
      await searchFor(randomInt(Math.min(SEARCHED_AGAIN, stored)))
      return true
    },

    async change() {
      const order = unpaid.shift()
      if (!order) return false
      const body = Buffer.from(JSON.stringify(reportOf(order)))
      const signed = signedHeaders(`growth-${order.transactionId}`, body, keys)
      const text = await call('/network/v1/callbacks', signed, body)
      if (text !== undefined) eventIds.push(eventId(order.transactionId, 2))
      return true
    },

    take() {
      const taken = { latenciesMs, eventIds, refused }
      ;[latenciesMs, eventIds, refused] = [[], [], {}]
      return taken
    },

    close: () => gateway.destroy(),
  }
}

function signedHeaders(messageId: string, body: Buffer, keys: readonly SigningKey[]): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    ...JSON_TYPE,
    [SIGNATURE_HEADERS.id]: messageId,
    [SIGNATURE_HEADERS.timestamp]: String(timestamp),
    [SIGNATURE_HEADERS.signature]: sign(messageId, timestamp, body, keys),
  }
}

/** What is not paid here must not expire while something else is measured. */
const ORDER = {
  description: 'Blue shirt',
  customer: { id: 'C-1', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
  udf1: 'cart-7',
  expires_in: 3600,
}

function reportOf({ transactionId, amount }: Unpaid): NetworkReport {
  return {
    reference: `GROWTH${transactionId}`,
    tr: transactionId,
    outcome: 'success',
    amount,
    rrn: '123456789012',
    method: 'upi',
    payer: { name: 'Asha Sandbox', vpa: 'success@sandbox' },
  }
}
