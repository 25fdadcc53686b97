import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { eventually, jsonClient, startProxied, type JsonClient, type TcpProxy } from '@gateway/testkit'
import { startNetworkSimulator } from '../src/service.ts'
import { API_KEY, startDependencies, type Dependencies } from './fixture.ts'

let dependencies: Dependencies
let proxy: TcpProxy
let parts: readonly Stoppable[]
let call: JsonClient
beforeAll(async () => {
  dependencies = await startDependencies()
  const proxied = await startProxied(dependencies.config.mongoUrl)
  proxy = proxied.proxy
  const simulator = await startNetworkSimulator({ ...dependencies.config, mongoUrl: proxied.url }, { log: silentLog })
  parts = simulator.parts
  call = jsonClient(`http://127.0.0.1:${simulator.port}`)
})
afterAll(async () => {
  proxy.restore()
  await stopAll(silentLog, parts, 5000)
  await proxy.stop()
  await dependencies.stop()
})

// Proves: faults/database-away-at-network-simulator
test('database down: 503 and no payment; an enquiry never returns an empty list; it recovers by itself', async () => {
  const { tr, intent } = dependencies.order()
  const enquire = () =>
    call<{ payments: object[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, { authorization: `Bearer ${API_KEY}` })
  const pay = () => call('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' })
  proxy.cut()
  expect(await pay()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(await enquire()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(dependencies.callbacksOf(tr)).toEqual([])

  proxy.restore()
  await eventually(async () => expect(await enquire()).toMatchObject({ status: 200, body: { payments: [] } }), {
    deadlineMs: 30_000,
  })
  expect((await pay()).status).toBe(202)
  await eventually(() => expect(dependencies.callbacksOf(tr)).toMatchObject([{ signed: true, report: { outcome: 'success' } }]))
})
