import { randomBytes } from 'node:crypto'
import {
  buildUpiIntent,
  formatPaise,
  formatSigningSecret,
  newTransactionId,
  readSigningSecret,
  sign,
  slotOfOrder,
  type NetworkReport,
  type OrderCreated,
} from '@gateway/contracts'
import { newOrderId, type JsonAnswer, type JsonClient } from '@gateway/testkit'

export const CALLBACK_SECRET = formatSigningSecret(randomBytes(32))

/** An event of a new order, created now, that expires in ten minutes. */
export function anOrderCreated(changed: Partial<OrderCreated['data']> = {}): OrderCreated {
  const now = new Date()
  const order = {
    order_id: newOrderId(),
    merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
    created_at: now.toISOString(),
    ...changed,
  }
  const fields: Omit<OrderCreated['data'], 'intent'> = {
    transaction_id: newTransactionId(new Date(order.created_at), slotOfOrder(order.merchant.id, order.order_id)),
    amount_paise: 49900,
    currency: 'INR',
    description: 'Blue shirt',
    methods: ['upi', 'card', 'netbanking'],
    max_attempts: 1,
    udf1: 'cart-7',
    expires_at: new Date(now.getTime() + 600_000).toISOString(),
    ...order,
  }
  const { transaction_id: transactionId } = fields
  return {
    id: `${transactionId}.0`,
    type: 'order.created',
    version: 1,
    occurred_at: now.toISOString(),
    correlation_id: `corr-${transactionId}`,
    data: { intent: intentOf(fields), ...fields },
  }
}

function intentOf({ transaction_id: transactionId, merchant, ...order }: Omit<OrderCreated['data'], 'intent'>): string {
  if (!order.methods.includes('upi')) return ''
  const payee = { payeeVpa: merchant.vpa, payeeName: merchant.name, mcc: merchant.mcc }
  return buildUpiIntent({ ...payee, transactionId, amount: formatPaise(order.amount_paise), note: order.description ?? '' })
}

/** Sends a callback as the network does. */
export function sendReport(client: JsonClient, fields: Partial<NetworkReport> & { tr: string }): Promise<JsonAnswer<unknown>> {
  const report: NetworkReport = { reference: `REF-${fields.tr}`, outcome: 'success', amount: '499.00', method: 'upi', ...fields }
  return sendCallback(client, JSON.stringify(report))
}

export function sendCallback(
  client: JsonClient,
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = '/network/v1/callbacks',
): Promise<JsonAnswer<unknown>> {
  const id = `msg_${randomBytes(6).toString('hex')}`
  const seconds = Math.floor(Date.now() / 1000)
  return client('POST', path, body, {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign(id, seconds, body, [readSigningSecret(CALLBACK_SECRET)]),
    ...headers,
  })
}

/** What order-api answers to a request of payment-status when it has these orders. */
export function answerAsOrderApi(known: Map<string, OrderCreated>, path: string, body: unknown) {
  if (path.endsWith('/customers')) {
    const { transaction_ids: ids } = body as { transaction_ids: string[] }
    const customer = { id: null, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
    return { status: 200, body: { customers: Object.fromEntries(ids.filter((id) => known.has(id)).map((id) => [id, customer])) } }
  }
  const [last, merchantId] = path.split('/').reverse()
  const found = [...known.values()].find(
    ({ data }) => data.transaction_id === last || (data.order_id === last && data.merchant.id === merchantId),
  )
  return found ? { status: 200, body: found } : { status: 404, body: { code: 'order_not_found' } }
}
