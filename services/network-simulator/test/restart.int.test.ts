import { eventually, freePort, jsonClient, startChildService, type ChildService } from '@gateway/testkit'
import { API_KEY, CALLBACK_SECRET, SERVICE_TOKEN, startDependencies, type Dependencies } from './fixture.ts'

let fixture: Dependencies
const children: ChildService[] = []
beforeAll(async () => (fixture = await startDependencies()))
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.ended
  }
})
afterAll(() => fixture.stop())

const environmentOf = ({ config }: Dependencies, port: number): Record<string, string> => ({
  ENVIRONMENT: 'sandbox',
  PORT: String(port),
  SHUTDOWN_DELAY: '0s',
  MONGO_URL: config.mongoUrl,
  DATABASE: config.database,
  PUBLIC_URL: config.publicUrl,
  CALLBACK_URL: config.callbackUrl,
  NETWORK_API_KEY: API_KEY,
  NETWORK_CALLBACK_SECRET: CALLBACK_SECRET,
  PAYMENT_STATUS_URL: config.paymentStatusUrl,
  JWKS_URL: config.jwksUrl,
  SERVICE_TOKEN,
})
const script = new URL('../src/main.ts', import.meta.url)

async function startChild(): Promise<{ child: ChildService; url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = await startChildService({ script, env: environmentOf(fixture, port), readyUrl: `${url}/readyz` })
  children.push(child)
  return { url, child }
}
const outcomesOf = (tr: string) => fixture.callbacksOf(tr).map(({ report }) => report['outcome'])
/** The states of a transaction's callbacks, as the simulator has stored them. */
async function statesOf(url: string, tr: string): Promise<string[]> {
  const { body } = await jsonClient(url)<{ payments: { callbacks: { state: string }[] }[] }>('GET', `/sandbox/payments/${tr}`)
  return body.payments.flatMap(({ callbacks }) => callbacks).map(({ state }) => state)
}

test('a planned callback survives the death of the replica that planned it', async () => {
  const { child, url } = await startChild()
  const { tr, intent } = fixture.order()
  await jsonClient(url)('POST', '/sandbox/upi/pay', { intent, vpa: 'slow@sandbox' })
  // The acknowledgement is recorded too: otherwise the first callback is sent again once its claim has expired.
  await eventually(async () => expect(await statesOf(url, tr)).toEqual(['acknowledged', 'scheduled']))
  child.kill('SIGKILL')
  await child.ended
  expect(outcomesOf(tr)).toEqual(['pending'])

  await startChild()
  await eventually(() => expect(outcomesOf(tr)).toEqual(['pending', 'success']))
})

test('a callback in flight when its sender died is sent again', async () => {
  const { child, url } = await startChild()
  fixture.gateway.answer(() => 'hang')
  const { tr, intent } = fixture.order()
  await jsonClient(url)('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' })
  await eventually(() => expect(outcomesOf(tr)).toEqual(['success']))
  child.kill('SIGKILL')
  await child.ended
  fixture.gateway.answer(() => ({ status: 200 }))

  await startChild()
  await eventually(() => expect(outcomesOf(tr)).toEqual(['success', 'success']), { deadlineMs: 30_000 })
})

test('SIGTERM ends it cleanly', async () => {
  const { child } = await startChild()
  child.kill('SIGTERM')
  expect(await child.ended).toBe('0')
})

// Proves: faults/production-refuses-simulator
test('it refuses to start in production', async () => {
  const env = { ...environmentOf(fixture, 0), ENVIRONMENT: 'production' }
  const child = await startChildService({ script, env })
  expect(await child.ended).toBe('78')
})
