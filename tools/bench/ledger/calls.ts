/** What merchants read, timed at the gateway. */
import { Gateway, type OrdersQuery } from '@gateway/sdk'
import type { MerchantCredentials } from '@gateway/testkit/merchants'

const CALLS = 200
const DEEP_PAGES = 30
/** Pages before these count as near the begin. */
const DEEP_FROM = 8
const FILTERS: readonly OrdersQuery[] = [
  ...[{ status: 'Failed' as const }, { method: 'netbanking' as const }, { refund_state: 'none' as const }],
  ...[{ amount_min: '900.00' }, { rrn: '100000000777' }, { order_id: 'STORED-777' }, { payer_vpa: 'payer777@okbank' }],
]

/** Milliseconds of each call. */
export interface ReadTimes {
  readonly first: number[]
  readonly deep: number[]
  readonly filtered: number[]
  readonly timeline: number[]
}

/** One caller, so that a call waits for nothing but its answer. `to` is a time after all stored payments, `since` one after them. */
export async function timeReads(gateways: readonly Gateway[], { to, since }: { to: string; since: string }): Promise<ReadTimes> {
  const times: ReadTimes = { first: [], deep: [], filtered: [], timeline: [] }
  const timed = async <T>(into: number[], call: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now()
    const result = await call()
    into.push(performance.now() - startedMs)
    return result
  }
  const gatewayOf = (number: number): Gateway => {
    const gateway = gateways[number % gateways.length]
    if (!gateway) throw new Error('there is no merchant')
    return gateway
  }
  // The first calls compile the code and do not count.
  for (let call = -20; call < CALLS; call++) {
    const gateway = gatewayOf(call + 20)
    await timed(call < 0 ? [] : times.first, () => gateway.orders.list({ limit: 20 }).page())
    const filter = FILTERS[(call + 20) % FILTERS.length] ?? {}
    await timed(call < 0 ? [] : times.filtered, () => gateway.orders.list({ ...filter, to, limit: 20 }).page())
  }
  for (let merchant = 0; merchant < 5; merchant++) {
    const list = gatewayOf(merchant).orders.list({ to, limit: 100 })
    let cursor: string | null = (await list.page()).next_cursor
    for (let page = 0; page < DEEP_PAGES && cursor !== null; page++) {
      const position = cursor
      const { next_cursor } = await timed(page < DEEP_FROM ? [] : times.deep, () => list.page(position))
      cursor = next_cursor
    }
  }
  for (let call = 0; call < CALLS; call++) {
    const { items } = await gatewayOf(call % 20)
      .orders.list({ from: since, limit: 100 })
      .page()
    const order = items[call % Math.max(items.length, 1)]
    if (order) await timed(times.timeline, () => gatewayOf(call % 20).timeline(order.order_id))
  }
  return times
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

export function gatewaysOf(baseUrl: string, merchants: readonly MerchantCredentials[]): Gateway[] {
  return merchants.map((credentials) => new Gateway({ baseUrl, credentials, timeoutMs: 60_000, deadlineMs: 120_000 }))
}

/** Reads the reports of these days for all merchants; resolves to their rows. Throws for a report that is not complete. */
export async function readReports(gateways: readonly Gateway[], days: readonly string[]): Promise<number> {
  let rows = 0
  for (const day of days)
    for (const gateway of gateways) {
      const decoder = new TextDecoder()
      let [lines, end] = [0, '']
      for await (const bytes of await gateway.reports.daily(day)) {
        const text = decoder.decode(bytes, { stream: true })
        lines += text.split('\n').length - 1
        end = (end + text).slice(-200)
      }
      const told = Number(/#end,(\d+),/u.exec(end)?.[1])
      // Without the names of the columns and the end.
      if (told !== lines - 2) throw new Error(`a report of ${day} has ${lines - 2} rows and says ${told}`)
      rows += told
    }
  return rows
}
