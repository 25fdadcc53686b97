import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { eventually, jsonClient, startProxied, type JsonClient, type TcpProxy } from '@gateway/testkit'
import { startNetworkSimulator } from '../src/service.ts'
import { API_KEY, startNeighbours, type Neighbours } from './fixture.ts'

let neighbours: Neighbours
let proxy: TcpProxy
let parts: readonly Stoppable[]
let call: JsonClient
beforeAll(async () => {
  neighbours = await startNeighbours()
  const proxied = await startProxied(neighbours.config.mongoUrl)
  proxy = proxied.proxy
  const simulator = await startNetworkSimulator({ ...neighbours.config, mongoUrl: proxied.url }, { log: silentLog })
  parts = simulator.parts
  call = jsonClient(`http://127.0.0.1:${simulator.port}`)
}, 60_000)
afterAll(async () => {
  proxy.restore()
  await stopAll(silentLog, parts, 5000)
  await proxy.stop()
  await neighbours.stop()
}, 60_000)

test('database away: 503 and nothing is paid; an enquiry never says that there is nothing; it recovers by itself', async () => {
  const { tr, intent } = neighbours.order()
  const enquire = () =>
    call<{ payments: object[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, { authorization: `Bearer ${API_KEY}` })
  const pay = () => call('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' })
  proxy.cut()
  expect(await pay()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(await enquire()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(neighbours.callbacksOf(tr)).toEqual([])

  proxy.restore()
  await eventually(async () => expect(await enquire()).toMatchObject({ status: 200, body: { payments: [] } }), {
    deadlineMs: 30_000,
  })
  expect((await pay()).status).toBe(202)
  await eventually(() => expect(neighbours.callbacksOf(tr)).toMatchObject([{ signed: true, report: { outcome: 'success' } }]))
}, 60_000)
