import axios, { type AxiosResponse } from 'axios'
import {
  compile,
  FAILURE_REASONS,
  ORDER_METHODS,
  TRANSACTION_STATUSES,
  Unavailable,
  type TransactionView,
} from '@gateway/contracts'

/** What the page reads of a view; a view that lacks it is an answer we cannot use. */
const isView = compile<TransactionView>({
  type: 'object',
  required: [
    'id',
    'order_id',
    'merchant',
    'status',
    'amount',
    'description',
    'methods',
    'failure_reason',
    'attempts',
    'payable',
    'closing',
    'return_url',
    'expires_at',
    'checkout',
  ],
  properties: {
    id: { type: 'string' },
    order_id: { type: 'string' },
    merchant: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    status: { enum: TRANSACTION_STATUSES },
    amount: { type: 'string' },
    description: { type: 'string' },
    methods: { type: 'array', items: { enum: ORDER_METHODS } },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    attempts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['status', 'failure_reason'],
        properties: { status: { type: 'string' }, failure_reason: { enum: [...FAILURE_REASONS, null] } },
      },
    },
    payable: { type: 'boolean' },
    closing: { enum: ['cancelled', 'expired', null] },
    return_url: { type: ['string', 'null'] },
    expires_at: { type: 'string', format: 'date-time' },
    checkout: { type: ['object', 'null'], required: ['intent'], properties: { intent: { type: 'string' } } },
  },
})

/** Throws `Unavailable` when payment-status cannot say. */
export interface PaymentStatus {
  /** `undefined` when no such transaction is known. */
  find(transactionId: string): Promise<TransactionView | undefined>
  /** Stops new attempts; a payment that has ended stays as it ended. */
  cancel(transactionId: string): Promise<void>
  /** True when it answers at all. */
  isUp(): Promise<boolean>
}

const TIMEOUT_MS = 4000
const MAX_ANSWER_BYTES = 256 * 1024
const RETRY_AFTER_SECONDS = 5

export function createPaymentStatusClient(options: { url: string; internalApiToken: string }): PaymentStatus {
  const client = axios.create({
    baseURL: `${options.url}/internal/v1/transactions`,
    headers: { authorization: `Bearer ${options.internalApiToken}` },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  })
  const call = async (method: 'get' | 'post', path: string): Promise<AxiosResponse<unknown>> =>
    client.request<unknown>({ method, url: path }).catch((cause: unknown) => {
      throw away(cause)
    })
  return {
    async find(transactionId) {
      const { status, data } = await call('get', `/${transactionId}`)
      if (status === 404) return undefined
      if (status === 200 && isView(data)) return data
      throw away(new Error(`payment-status answered ${status}`))
    },
    async cancel(transactionId) {
      const { status } = await call('post', `/${transactionId}/cancel`)
      // 404 and 409: there is nothing to cancel any more, and the page will say why.
      if (![200, 404, 409].includes(status)) throw away(new Error(`payment-status answered ${status}`))
    },
    isUp: async () => (await client.get<unknown>('/healthz', { baseURL: options.url })).status === 200,
  }
}

function away(cause: unknown): Unavailable {
  return new Unavailable('payment_status_unavailable', 'The payment cannot be looked up; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
