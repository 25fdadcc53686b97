/** Search forgets a customer soon after order-api purged it. */
import type { CustomerView } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { eventually, startJsonServer } from '@gateway/testkit'
import { CUSTOMERS_KEPT_MS, createOrderApi } from '../src/payments/clients/order-api.ts'

// Proves: operate/purge-leaves-no-copy
test('a fetched customer is kept for at most a minute', async () => {
  expect(CUSTOMERS_KEPT_MS).toBeLessThanOrEqual(60_000)
  const purged: CustomerView = { id: null, name: null, email: null, phone: null }
  let customer: CustomerView = { id: null, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const server = await startJsonServer(() => ({ status: 200, body: { customers: { T1: customer } } }))
  const api = { url: server.url, serviceToken: 'token' }
  const kept = createOrderApi(api, silentLog, 60_000)
  const soonForgotten = createOrderApi(api, silentLog, 20)

  for (const orders of [kept, soonForgotten]) expect(await orders.customerOf('T1')).toEqual(customer)
  const before = customer
  customer = purged
  await eventually(async () => expect(await soonForgotten.customerOf('T1')).toEqual(purged))
  expect(await kept.customerOf('T1')).toEqual(before)
  await server.stop()
})
