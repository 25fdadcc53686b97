import { fieldsOf } from '../json.ts'
import type { Effect } from '../judge.ts'
import { exchange, type Exchanged, type Sent } from '../exchange.ts'

/** The merchant's probe: it creates an order as the shop does, and shows the state of an order. */
export type Probe = ReturnType<typeof createProbe>

const TIMEOUT_MS = 60_000

/** @param signal ends every request to the probe */
export function createProbe(base: URL, signal: AbortSignal) {
  const ask = (path: string, sent: Sent): Promise<Exchanged> =>
    exchange(new URL(`${base.href.replace(/\/+$/u, '')}${path}`), sent, TIMEOUT_MS, signal)
  return {
    /** `POST /orders {"order_id"}`: the test instance creates an order at the gateway, under this id or another one. */
    createOrder(orderId: string): Promise<Exchanged> {
      const body = JSON.stringify({ order_id: orderId })
      return ask('/orders', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    },
    /** `GET /orders/:id` → `{"state", "fulfilled"}`. An order that the shop does not know is not fulfilled. */
    async effectOn(orderId: string): Promise<Effect> {
      const get = { method: 'GET', headers: { accept: 'application/json' }, body: '' }
      return effectIn(await ask(`/orders/${encodeURIComponent(orderId)}`, get))
    },
  }
}

const UNKNOWN: Effect = { state: 'unknown', fulfilled: 0 }

/** Throws when an answer with status 200 has another form. */
function effectIn({ status, body }: Exchanged): Effect {
  if (status !== 200) return UNKNOWN
  const { state, fulfilled } = fieldsOf(body)
  if (typeof state === 'string' && typeof fulfilled === 'number' && Number.isSafeInteger(fulfilled)) return { state, fulfilled }
  throw new ProbeError(
    `The probe's GET /orders/:id must answer {"state": "…", "fulfilled": 0}, but it answered ${body.slice(0, 200)}`,
  )
}

/** The probe's answer has the wrong form. */
export class ProbeError extends Error {}
