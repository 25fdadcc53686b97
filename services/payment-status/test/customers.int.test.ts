/** A customer that order-api has forgotten is forgotten by search too, and soon. */
import type { CustomerView } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { eventually, startJsonServer } from '@gateway/testkit'
import { CUSTOMERS_KEPT_MS, orderApi } from '../src/network/order-api.ts'

test('what was fetched is kept for a moment, and not for longer', async () => {
  expect(CUSTOMERS_KEPT_MS).toBeLessThanOrEqual(60_000)
  const nobody: CustomerView = { id: null, name: null, email: null, phone: null }
  let customer: CustomerView = { id: null, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const server = await startJsonServer(() => ({ status: 200, body: { customers: { T1: customer } } }))
  const api = { url: server.url, internalApiToken: 'token' }
  const kept = orderApi(api, silentLog, 60_000)
  const soonForgotten = orderApi(api, silentLog, 20)

  for (const orders of [kept, soonForgotten]) expect(await orders.customerOf('T1')).toEqual(customer)
  const before = customer
  customer = nobody
  await eventually(async () => expect(await soonForgotten.customerOf('T1')).toEqual(nobody))
  expect(await kept.customerOf('T1')).toEqual(before)
  await server.stop()
})
