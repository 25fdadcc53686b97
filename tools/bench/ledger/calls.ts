/** What merchants read, timed at the gateway. */
import { text } from 'node:stream/consumers'
import type { Gateway, OrdersQuery } from '@gateway/sdk'

const CALLS = 200
/** Calls before the measurement, which compile the code. */
const WARM_UP_CALLS = 20
const DEEP_PAGES = 30
/** Pages before these count as near the begin. */
const DEEP_FROM = 8
const FILTERS: readonly OrdersQuery[] = [
  ...[{ status: 'Failed' as const }, { method: 'netbanking' as const }, { refund_state: 'none' as const }],
  ...[{ amount_min: '900.00' }, { rrn: '100000000777' }, { order_id: 'STORED-777' }, { payer_vpa: 'payer777@okbank' }],
]

/** Milliseconds that a call takes. */
async function took(call: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await call()
  return performance.now() - startedMs
}

/** One caller, so that a call waits for nothing but its answer. `to` is a time after all stored payments, `since` one after them. */
export async function timeReads(gateways: readonly Gateway[], { to, since }: { to: string; since: string }) {
  const [first, deep, filtered, timeline]: [number[], number[], number[], number[]] = [[], [], [], []]
  const gatewayOf = (number: number): Gateway => {
    const gateway = gateways[number % gateways.length]
    if (!gateway) throw new Error('there is no merchant')
    return gateway
  }
  for (let call = 0; call < WARM_UP_CALLS + CALLS; call++) {
    const { orders } = gatewayOf(call)
    first.push(await took(() => orders.list({ limit: 20 }).page()))
    filtered.push(await took(() => orders.list({ ...FILTERS[call % FILTERS.length], to, limit: 20 }).page()))
  }
  for (let merchant = 0; merchant < 5; merchant++) {
    const list = gatewayOf(merchant).orders.list({ to, limit: 100 })
    let cursor: string | null = (await list.page()).next_cursor
    for (let page = 0; page < DEEP_PAGES && cursor !== null; page++) {
      const position = cursor
      const ms = await took(async () => ({ next_cursor: cursor } = await list.page(position)))
      if (page >= DEEP_FROM) deep.push(ms)
    }
  }
  for (let call = 0; call < CALLS; call++) {
    const gateway = gatewayOf(call % 20)
    const { items } = await gateway.orders.list({ from: since, limit: 100 }).page()
    const order = items[call % Math.max(items.length, 1)]
    if (order) timeline.push(await took(() => gateway.timeline(order.order_id)))
  }
  return { first: first.slice(WARM_UP_CALLS), deep, filtered: filtered.slice(WARM_UP_CALLS), timeline }
}

/** Walks all pages of one merchant after the other while `writing`. `existing`: a merchant's transactions at the start of its walk. */
export async function walkWhile(
  writing: Promise<unknown>,
  gateways: readonly Gateway[],
  existing: (n: number) => Promise<string[]>,
) {
  const over = new AbortController()
  const written = writing.finally(() => over.abort())
  const walk = { walk_orders: 0, walk_missed: 0, walk_repeated: 0 }
  for (let merchant = 0; !over.signal.aborted; merchant = (merchant + 1) % gateways.length) {
    const [before, seen] = [await existing(merchant), new Set<string>()]
    for await (const { transaction_id: id } of gateways[merchant]?.orders.list({ limit: 100 }) ?? []) {
      if (seen.has(id)) walk.walk_repeated += 1
      seen.add(id)
    }
    walk.walk_orders += before.length
    walk.walk_missed += before.filter((id) => !seen.has(id)).length
  }
  await written
  return walk
}

/** Reads the reports of these days for all merchants; resolves to their rows. Throws for a report that is not complete. */
export async function readReports(gateways: readonly Gateway[], days: readonly string[]): Promise<number> {
  let rows = 0
  for (const day of days)
    for (const gateway of gateways) {
      const lines = (await text(await gateway.reports.daily(day))).trimEnd().split('\n')
      const told = Number(/^#end,(\d+),/u.exec(lines.at(-1) ?? '')?.[1])
      // Without the names of the columns and the end.
      if (told !== lines.length - 2) throw new Error(`a report of ${day} has ${lines.length - 2} rows and says ${told}`)
      rows += told
    }
  return rows
}
