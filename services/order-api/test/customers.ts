import { newTransactionId, slotOfOrder, type CreateOrderResponse, type CustomerView } from '@gateway/contracts'
import { anOrder, runScript, type EndedScript, type JsonClient } from '@gateway/testkit'
import { draftOrder } from '../src/domain/order.ts'
import { toDocument } from '../src/persistence/order-document.ts'
import type { Fixture } from './fixture.ts'

export const DAY_MS = 86_400_000
export const PURGED: CustomerView = { id: null, name: null, email: null, phone: null }
export const customer = { id: 'C-SECRET', name: 'Asha Secret', email: 'secret@example.com', phone: '+919876500001' }

/** Orders with that customer, and the command that purges them, for the tests of one fixture. */
export function customersOf(fixture: Fixture) {
  const orders = () => fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('orders')

  function purgeWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<EndedScript> {
    const { mongoUrl: MONGO_URL, database: DATABASE } = fixture.config
    const env = { ENVIRONMENT: 'sandbox', MONGO_URL, DATABASE, ...more }
    return runScript({ script: new URL('../src/purge-customers.ts', import.meta.url), args, env })
  }

  return {
    stored: (orderId: string, merchantId = 'M1') => orders().findOne({ _id: `${merchantId}:${orderId}` }),

    /** Runs the command as an operator's job does. */
    purge: (...args: string[]) => purgeWith({ CUSTOMER_RETENTION_DAYS: '365' }, ...args),
    purgeWith,

    /** Creates an order; resolves to its transaction's id. */
    async create(orderId: string, as: JsonClient): Promise<string> {
      const order = { ...anOrder({ customer, udf1: 'kept' }), order_id: orderId }
      const { status, body } = await as<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
      expect(status).toBe(201)
      return body.data.transaction.id
    },

    /** Asks as payment-status does for a search. */
    async find(...ids: string[]): Promise<Readonly<Record<string, CustomerView>>> {
      const { body } = await fixture.internal<{ customers: Record<string, CustomerView> }>(
        'POST',
        '/internal/v1/orders/customers',
        { transaction_ids: ids },
      )
      return body.customers
    },

    /** Inserts orders of these ages, with their events published. */
    async insertOld(ages: readonly number[], merchantId: string): Promise<string[]> {
      const documents = ages.map((ageMs, index) => {
        const now = new Date(Date.now() - ageMs)
        const order = draftOrder(
          { ...anOrder({ customer }), order_id: `OLD-${index}` },
          {
            merchant: { id: merchantId, name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
            transactionId: newTransactionId(now, slotOfOrder(merchantId, `OLD-${index}`)),
            fingerprint: 'f',
            correlationId: 'c',
            now,
            limits: fixture.config.limits,
          },
        )
        return { ...toDocument({ ...order, intent: '' }), outbox: [] }
      })
      await orders().insertMany(documents)
      return documents.map(({ transaction_id: transactionId }) => transactionId)
    },
  }
}
