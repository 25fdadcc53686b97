import type { GapKind } from '../src/operating/domain/audit.ts'
import type { DeliveryDocument } from '../src/deliveries/persistence/delivery-document.ts'
import { eventually, jsonClient, type JsonAnswer, type JsonClient } from '@gateway/testkit'
import { CALLER_TOKENS, startFixture as startPayments, type Fixture as Payments } from '@gateway-services/payment-status/testing'
import type { DispatcherConfig } from '../src/config.ts'
import type { RunningDispatcher } from '../src/service.ts'
import { registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface Answer {
  readonly data: {
    readonly counts: Readonly<Record<string, number>>
    readonly gap_counts: Readonly<Record<GapKind, number>>
    readonly gaps: readonly { readonly kind: GapKind; readonly id: string; readonly merchant_id: string }[]
  }
  readonly next_cursor: string | null
}

/** The real payment-status, whose events and export the dispatcher uses, with the same queue prefix. */
let payments: Payments
let fixture: Fixture
let dispatcher: RunningDispatcher
let operator: JsonClient
beforeAll(async () => {
  payments = await startPayments()
  fixture = await startFixture()
  const more: Partial<DispatcherConfig> = {
    amqpPrefix: payments.config.amqpPrefix,
    paymentStatus: { url: payments.url, token: String(CALLER_TOKENS.get('webhook-dispatcher')?.[0]) },
    auditGraceMs: 0,
    sweepOverdueMs: 10_000,
  }
  dispatcher = await fixture.start({}, more)
  operator = fixture.operator(dispatcher)
  await registerEndpoint(await fixture.as(dispatcher, 'M1'), fixture.receiver.url)
})
afterAll(async () => {
  await fixture.stop(dispatcher)
  await payments.stop()
  await fixture.remove()
})

const audit = async (query: Record<string, string> = {}) => {
  const gaps: string[] = []
  const counts = new Map<string, number>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const text: string = new URLSearchParams(cursor === '' ? query : { ...query, cursor }).toString()
    const answer: JsonAnswer<Answer> = await operator<Answer>('GET', `/operator/v1/audit?${text}`)
    expect(answer.status).toBe(200)
    for (const { kind, id } of answer.body.data.gaps) gaps.push(`${kind} ${id}`)
    for (const [name, count] of Object.entries(answer.body.data.counts)) counts.set(name, (counts.get(name) ?? 0) + count)
    cursor = answer.body.next_cursor
  }
  return { gaps: gaps.toSorted(), counts: Object.fromEntries(counts) }
}
const auditSays = (expected: readonly string[], query?: Record<string, string>) =>
  eventually(async () => expect((await audit(query)).gaps).toEqual([...expected].toSorted()), { deadlineMs: 30_000 })
const records = () => fixture.sandbox.client.db(fixture.database).collection<DeliveryDocument>('deliveries')

/** A payment with its three status changes, each delivered. */
async function aPayment(): Promise<string> {
  const { data } = await payments.open()
  await payments.report({ tr: data.transaction_id, outcome: 'pending' })
  await payments.report({ tr: data.transaction_id })
  for (const sequence of [1, 2, 3]) await fixture.deliveryIs(`${data.transaction_id}.${sequence}`, 'delivered')
  return data.transaction_id
}

// Proves: webhooks/audit-names-every-gap
test('without gaps it is clean; each missing, unknown, late or dead record is named', async () => {
  const ids = [await aPayment(), await aPayment(), await aPayment(), await aPayment()]
  const [a = '', b = '', c = '', d = ''] = ids
  await auditSays([])
  for (const limit of ['1', '3', '1000']) {
    expect((await audit({ limit })).counts).toMatchObject({ transitions: 12, deliveries: 12, delivered: 12, on_the_way: 0 })
  }

  const kept = await records().findOneAndDelete({ _id: `${a}.2` })
  await auditSays([`sequence_hole ${a}.2`])
  await records().deleteOne({ _id: `${b}.3` })
  await auditSays([`sequence_hole ${a}.2`, `no_delivery ${b}.3`], { limit: '1' })
  if (kept) await records().insertOne({ ...kept, _id: `${c}.4`, sequence: 4 })
  const late = {
    status: 'retrying',
    next_attempt_at: new Date(Date.now() - 11_000),
    claimed_until: new Date(Date.now() + 60_000),
  } as const
  await records().updateOne({ _id: `${d}.1` }, { $set: late })
  const named = [`sequence_hole ${a}.2`, `no_delivery ${b}.3`, `no_transition ${c}.4`]
  await auditSays(named)
  await records().updateOne({ _id: `${d}.2` }, { $set: { status: 'dead', dead_reason: 'exhausted' } })
  await auditSays([...named, `dead ${d}.2`])
  expect((await audit({ merchant_id: 'M2' })).counts).toMatchObject({ transitions: 0, deliveries: 0 })
  expect((await audit({ until: '2020-01-01T00:00:00Z' })).gaps).toEqual([])
})

// Proves: webhooks/audit-names-every-gap
test('a delivery whose message is lost is overdue', async () => {
  const { data } = await payments.open()
  const id = `${data.transaction_id}.1`
  await fixture.deliveryIs(id, 'delivered')
  const since = data.created_at
  await auditSays([], { since })
  // Late by more than the sweep allows, and the sweep does not see it: as if it had stopped.
  const lost = {
    status: 'retrying',
    next_attempt_at: new Date(Date.now() - 60_000),
    claimed_until: new Date(0),
    attempt_count: 99,
  } as const
  const stopped = await fixture.start(
    {},
    {
      paymentStatus: { url: payments.url, token: String(CALLER_TOKENS.get('webhook-dispatcher')?.[0]) },
      auditGraceMs: 0,
      sweepIntervalMs: 600_000,
    },
  )
  await fixture.stop(dispatcher)
  await records().updateOne({ _id: id }, { $set: lost })
  operator = fixture.operator(stopped)
  await auditSays([`overdue ${id}`], { since })
  await records().updateOne({ _id: id }, { $set: { status: 'delivered', next_attempt_at: null } })
  await fixture.stop(stopped)
})

test('without payment-status the audit fails and never reports that nothing is missing', async () => {
  const silent = await fixture.start({}, { paymentStatus: { url: 'http://127.0.0.1:1', token: 'unused' } })
  expect(await fixture.operator(silent)('GET', '/operator/v1/audit')).toMatchObject({
    status: 503,
    body: { code: 'payment_status_unavailable' },
  })
  await fixture.stop(silent)
  const unset = await fixture.start()
  expect(await fixture.operator(unset)('GET', '/operator/v1/audit')).toMatchObject({
    status: 503,
    body: { code: 'audit_not_configured' },
  })
  for (const query of ['limit=1001', 'since=today', 'cursor=a.b', 'unknown=1']) {
    expect(await fixture.operator(unset)('GET', `/operator/v1/audit?${query}`)).toMatchObject({ status: 422 })
  }
  const anonymous = jsonClient(`http://127.0.0.1:${unset.operatorPort}`)
  expect(await anonymous('GET', '/operator/v1/audit')).toMatchObject({ status: 401 })
  await fixture.stop(unset)
})
