import axios from 'axios'
import type { FromSchema } from 'json-schema-to-ts'
import { compile, isFinal, TRANSACTION_STATUSES, Unavailable } from '@gateway/contracts'

/** What the simulator needs of payment-status' view of a transaction. */
const viewSchema = {
  type: 'object',
  required: ['status', 'closing', 'expires_at'],
  properties: {
    status: { enum: TRANSACTION_STATUSES },
    closing: { enum: ['cancelled', 'expired', null] },
    expires_at: { type: 'string', format: 'date-time' },
  },
} as const
const isView = compile<FromSchema<typeof viewSchema>>(viewSchema)

export interface KnownTransaction {
  readonly final: boolean
  /** Nothing can be started any more, although the status may not be final yet. */
  readonly closing: boolean
  readonly expiresAt: Date
}

/** `undefined` when no order is known for it; throws `Unavailable` when payment-status cannot say. */
export type FindTransaction = (tr: string) => Promise<KnownTransaction | undefined>

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024

export function makeFindTransaction(options: { url: string; internalApiToken: string }): FindTransaction {
  const client = axios.create({
    baseURL: options.url,
    headers: { authorization: `Bearer ${options.internalApiToken}` },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    proxy: false,
    validateStatus: (status) => status === 200 || status === 404,
  })
  return async (tr) => {
    const response = await client.get<unknown>(`/internal/v1/transactions/${encodeURIComponent(tr)}`).catch((cause: unknown) => {
      throw new Unavailable('payment_status_unavailable', 'The order cannot be looked up; try again', { cause })
    })
    if (response.status === 404) return undefined
    const view: unknown = response.data
    if (!isView(view)) throw new Unavailable('payment_status_unavailable', 'The order cannot be looked up; try again')
    return { final: isFinal(view.status), closing: view.closing !== null, expiresAt: new Date(view.expires_at) }
  }
}
