/** Merchants and the network of one stack, as a program of its own. Nothing here helps a cache of a service. */
import { randomInt } from 'node:crypto'
import { readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import type { Order } from '@gateway-tools/load/merchant-calls'
import { startMerchantLoad, type MerchantLoadSetup } from '@gateway-tools/load/merchant-load'
import { openProgram, serveProgram } from '@gateway-tools/load/program'
import { loadFunctions, type Load, type LoadProgram } from '@gateway-tools/load/serve-load'
import { inRandomOrder } from './random-order.ts'
import { storedOrderId } from './templates.ts'

export interface GrowthSetup extends MerchantLoadSetup {
  readonly callbackSecret: string
  /** Payments that the databases were filled with: searches are for their orders. */
  readonly stored: number
  /** Indexes of the merchants whose orders these are, in turn. */
  readonly merchantsInTurn: readonly number[]
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

/** The first stored orders are for repeated searches, the others for first searches. */
export const SEARCHED_AGAIN = 200
/** `payment-status` caches an order's customer for a minute; after that, a search is a first one again. */
const FORGOTTEN_AFTER_MS = 65_000

function open({ callbackSecret, stored, merchantsInTurn, ...setup }: GrowthSetup): Load {
  const load = startMerchantLoad(setup)
  const unseen = inRandomOrder(SEARCHED_AGAIN, stored, { restMs: FORGOTTEN_AFTER_MS, nowMs: () => performance.now() })
  const unpaid: Order[] = []
  let paidIds: string[] = []
  const searchFor = (number: number) =>
    load.calls.search(storedOrderId(number), merchantsInTurn[number % merchantsInTurn.length] ?? 0)

  const kinds: Record<Kind, () => Promise<unknown>> = {
    async create() {
      const order = await load.kinds.create()
      if (order) unpaid.push(order)
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
      if (await load.calls.report(report, signatureOf(report, callbackSecret))) paidIds.push(order.transactionId)
      return true
    },
  }
  return {
    ...load,
    kinds,
    take() {
      const taken = { ...load.take(), paidIds }
      paidIds = []
      return taken
    },
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

serveProgram(import.meta.filename, loadFunctions(open))
