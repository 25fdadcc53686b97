/** Replicas of payment-status whose clocks differ by a minute, beside one whose clock is right. */
import { silentLog, stopAll } from '@gateway/service-kit'
import { eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import { startPaymentStatus, type RunningPaymentStatus } from '../src/service.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { sendReport } from './messages.ts'

let fixture: Fixture
let replicas: RunningPaymentStatus[]
let clients: JsonClient[]
beforeAll(async () => {
  fixture = await startFixture()
  replicas = await Promise.all(
    [-30_000, 30_000].map((skewMs) =>
      startPaymentStatus(fixture.config, silentLog, { now: () => new Date(Date.now() + skewMs) }),
    ),
  )
  clients = replicas.map(({ port }) => jsonClient(`http://127.0.0.1:${port}`))
})
afterAll(async () => {
  for (const { parts } of replicas) await stopAll(silentLog, parts, 15_000)
  await fixture.stop()
})

/** The published changes of a transaction, as `sequence status`. */
async function changesOf(transactionId: string): Promise<string[]> {
  return (await fixture.events(transactionId)).map(({ data }) => `${data.sequence} ${data.status}`)
}

// Proves: faults/clock-skew-loses-nothing
test('a payment whose callbacks reach replicas with other clocks succeeds once, with each event once', async () => {
  const opened = await Promise.all(Array.from({ length: 10 }, () => fixture.open()))
  for (const { data } of opened) {
    const pending = { tr: data.transaction_id, outcome: 'pending' as const, method: 'upi' as const }
    const success = { ...pending, outcome: 'success' as const }
    const [behind, ahead] = clients
    if (!behind || !ahead) throw new Error('two replicas are running')
    expect(await sendReport(ahead, pending)).toMatchObject({ status: 200 })
    const both = await Promise.all([sendReport(behind, success), sendReport(ahead, success)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
  }
  for (const { data } of opened) {
    await eventually(async () => expect(await changesOf(data.transaction_id)).toEqual(['1 Initiate', '2 Pending', '3 Success']))
  }
  expect(await fixture.sandbox.messageCount(fixture.queues.dead)).toBe(0)
})

// Proves: faults/clock-skew-loses-nothing
test('an unpaid order ends once, at most 30 s early; money that comes for it later is given back once', async () => {
  fixture.network.answer(({ method, query, body }) =>
    method === 'GET'
      ? { status: 200, body: { tr: query.get('tr'), payments: [] } }
      : { status: 200, body: { reference: (body as { reference: string }).reference, status: 'succeeded', reason: null } },
  )
  const soon = { expires_at: new Date(Date.now() + 20_000).toISOString() }
  const opened = await Promise.all(Array.from({ length: 5 }, () => fixture.open(soon)))
  for (const { data } of opened) {
    await eventually(async () => expect(await changesOf(data.transaction_id)).toEqual(['1 Initiate', '2 Failed']), {
      deadlineMs: 30_000,
    })
    for (const client of clients) await sendReport(client, { tr: data.transaction_id, reference: `LATE-${data.order_id}` })
    await eventually(async () =>
      expect(await fixture.document(data.transaction_id)).toMatchObject({ reversals: [{ status: 'succeeded', reason: 'late' }] }),
    )
  }
  const keys = fixture.network.requests.flatMap(({ method, headers }) => (method === 'POST' ? [headers['idempotency-key']] : []))
  expect(new Set(keys)).toEqual(new Set(opened.map(({ data }) => `rev-${data.transaction_id}-LATE-${data.order_id}`)))
  for (const { data } of opened) expect(await changesOf(data.transaction_id)).toEqual(['1 Initiate', '2 Failed'])
})
