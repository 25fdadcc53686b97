import {
  AMOUNT_PATTERN,
  compile,
  isFinal,
  ORDER_METHODS,
  parseAmount,
  TRANSACTION_ID_PATTERN,
  TRANSACTION_STATUSES,
  type OrderMethod,
} from '@gateway/contracts'
import { createServiceClient, type ServiceClient } from '@gateway/service-kit/http-client'

/** The fields of payment-status' view of a transaction that the simulator reads. */
const viewSchema = {
  type: 'object',
  required: ['id', 'status', 'amount', 'methods', 'closing', 'expires_at'],
  properties: {
    id: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    status: { enum: TRANSACTION_STATUSES },
    amount: { type: 'string', pattern: AMOUNT_PATTERN },
    methods: { type: 'array', items: { enum: ORDER_METHODS } },
    closing: { enum: ['cancelled', 'expired', null] },
    expires_at: { type: 'string', format: 'date-time' },
  },
} as const
const isView = compile(viewSchema)

export interface KnownTransaction {
  readonly id: string
  readonly amountPaise: number
  readonly methods: readonly OrderMethod[]
  readonly final: boolean
  /** The order is cancelled or expired: no payment can start, although the status may not be final yet. */
  readonly closing: boolean
  readonly expiresAt: Date
}

/** Both return `undefined` for an unknown order, and throw `Unavailable` when payment-status gives no clear answer. */
export type FindTransaction = (tr: string) => Promise<KnownTransaction | undefined>
export type FindOrder = (merchantId: string, orderId: string) => Promise<KnownTransaction | undefined>

export interface PaymentStatus {
  readonly findTransaction: FindTransaction
  readonly findOrder: FindOrder
}

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024

export function createPaymentStatusClient(options: { url: string; serviceToken: string }): PaymentStatus {
  const client = createServiceClient({
    baseUrl: options.url,
    bearer: options.serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'payment_status_unavailable', detail: 'The order cannot be read now; try again' },
  })
  const at = (...segments: string[]): string => `/internal/v1/transactions/${segments.map(encodeURIComponent).join('/')}`
  return {
    findTransaction: (tr) => find(client, at(tr)),
    findOrder: (merchantId, orderId) => find(client, at('by-order-id', merchantId, orderId)),
  }
}

async function find(client: ServiceClient, path: string): Promise<KnownTransaction | undefined> {
  const { status, data: view } = await client.get(path)
  if (status === 404) return undefined
  if (status !== 200 || !isView(view)) throw client.unavailable(`status ${status}`)
  return {
    id: view.id,
    amountPaise: parseAmount(view.amount) ?? 0,
    methods: view.methods,
    final: isFinal(view.status),
    closing: view.closing !== null,
    expiresAt: new Date(view.expires_at),
  }
}
