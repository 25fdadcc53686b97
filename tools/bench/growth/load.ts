/** Merchants and the network of one stack, as a program of its own. Nothing here helps a cache of a service. */
import { randomInt } from 'node:crypto'
import { readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import { merchantCalls, type Order } from '@gateway-tools/load/merchant-calls'
import type { MerchantCredentials } from '@gateway/testkit/merchant-client'
import { openProgram } from '@gateway-tools/load/program'
import { serveLoad, type Load, type LoadProgram } from '@gateway-tools/load/serve-load'
import { inRandomOrder } from './random-order.ts'
import { merchantIndexOf, storedOrderId } from './stored-payment.ts'

export interface GrowthSetup {
  readonly baseUrl: string
  readonly callbackSecret: string
  readonly merchants: readonly MerchantCredentials[]
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
  const calls = merchantCalls({ baseUrl, networkUrl: baseUrl, merchants, connections: CONNECTIONS })
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
      const report = successOf(order)
      if (await calls.report(report, signatureOf(report, callbackSecret))) paidIds.push(order.transactionId)
      return true
    },
  }
  return {
    kinds,
    take() {
      const taken = { ...calls.recorder.take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => calls.close(),
  }
}

function successOf({ transactionId, amount }: Order): NetworkReport {
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

/** Signs the JSON of the report, which is what is sent. */
function signatureOf(report: NetworkReport, secret: string): Record<string, string> {
  const [id, timestamp] = [`growth-${report.tr}`, Math.floor(Date.now() / 1000)]
  return {
    [SIGNATURE_HEADERS.id]: id,
    [SIGNATURE_HEADERS.timestamp]: String(timestamp),
    [SIGNATURE_HEADERS.signature]: sign(id, timestamp, Buffer.from(JSON.stringify(report)), [readSigningSecret(secret)]),
  }
}

if (process.argv[1] === import.meta.filename) serveLoad(open)
