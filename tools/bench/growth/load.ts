/** Merchants and the network of one stack, as a program of its own. Nothing here helps a cache of a service. */
import { randomInt } from 'node:crypto'
import { readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import { createCaller } from '@gateway-tools/load/caller'
import { merchantCalls, type Order } from '@gateway-tools/load/merchant-calls'
import type { Credentials } from '@gateway-tools/load/merchants'
import { openProgram } from '@gateway-tools/load/program'
import { serveLoad, type Load, type LoadProgram } from '@gateway-tools/load/serve-load'
import { inRandomOrder } from './random-order.ts'
import { merchantIndexOf, storedOrderId } from './stored-payment.ts'

export interface GrowthSetup {
  readonly baseUrl: string
  readonly callbackSecret: string
  readonly merchants: readonly Credentials[]
  /** Payments that the databases were filled with: searches are for their orders. */
  readonly stored: number
}

/**
 * `search`: any stored order that was not searched for in the last minute, as a merchant confirms a payment. `searchAgain`: one of a
 * few orders, as a page that waits. `change`: the network reports the success of an order created here.
 */
export const KINDS = ['create', 'search', 'searchAgain', 'change'] as const
export type Kind = (typeof KINDS)[number]

export function openGrowthLoad(): LoadProgram<GrowthSetup> {
  return openProgram(import.meta.filename)
}

const CONNECTIONS = 64
/** The first stored orders are for repeated searches, the others for first searches. */
export const SEARCHED_AGAIN = 200
/** `payment-status` caches an order's customer for a minute; after that, a search is a first one again. */
const FORGOTTEN_AFTER_MS = 65_000

function open({ baseUrl, callbackSecret, merchants, stored }: GrowthSetup): Load {
  const caller = createCaller(CONNECTIONS)
  const calls = merchantCalls(caller, { baseUrl, networkUrl: '', merchants })
  const unseen = inRandomOrder(SEARCHED_AGAIN, stored, { restMs: FORGOTTEN_AFTER_MS, nowMs: () => performance.now() })
  const unpaid: Order[] = []
  let [transactionIds, paidIds]: [string[], string[]] = [[], []]
  const searchFor = (number: number) => calls.search(storedOrderId(number), merchantIndexOf(number, merchants.length))

  const kinds: Record<Kind, () => Promise<unknown>> = {
    async create() {
      const order = await calls.create()
      if (!order) return
      unpaid.push(order)
      transactionIds.push(order.transactionId)
    },
    async search() {
      const number = unseen.next()
      if (number === undefined) return false
      await searchFor(number)
      return true
    },
    async searchAgain() {
      await searchFor(randomInt(Math.min(SEARCHED_AGAIN, stored)))
    },
    async change() {
      const order = unpaid.shift()
      if (!order) return false
      const url = `${baseUrl}/network/v1/callbacks`
      const report = signedReport(order, callbackSecret)
      const isTaken = await caller.send({ what: 'callback', url, ...report, expected: [200], isMeasured: true })
      if (isTaken) paidIds.push(order.transactionId)
      return true
    },
  }
  return {
    renewTokens: () => calls.renewTokens('make'),
    kinds,
    take() {
      const taken = { ...caller.take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => caller.close(),
  }
}

function signedReport({ transactionId, amount }: Order, secret: string): { headers: Record<string, string>; body: Buffer } {
  const report: NetworkReport = {
    reference: `GROWTH${transactionId}`,
    tr: transactionId,
    outcome: 'success',
    amount,
    rrn: '123456789012',
    method: 'upi',
    payer: { name: 'Asha Sandbox', vpa: 'success@sandbox' },
  }
  const [id, timestamp, body] = [`growth-${transactionId}`, Math.floor(Date.now() / 1000), Buffer.from(JSON.stringify(report))]
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADERS.id]: id,
    [SIGNATURE_HEADERS.timestamp]: String(timestamp),
    [SIGNATURE_HEADERS.signature]: sign(id, timestamp, body, [readSigningSecret(secret)]),
  }
  return { headers, body }
}

if (process.argv[1] === import.meta.filename) serveLoad(open)
