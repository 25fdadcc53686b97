import type { RefundTransition } from '@gateway/contracts'
import type { AuditedDelivery } from '../domain/audit.ts'
import { makeCompareRefunds } from './compare-refunds.ts'

const NOW = new Date('2026-01-02T00:00:00Z')
const CREATED = '2026-01-01T12:00:00.000Z'
const rules = { now: NOW, graceMs: 60_000, overdueMs: 60_000 }
const range = { after: undefined, from: undefined, upTo: undefined, before: undefined }

const change = (sequence: number, fields: Partial<RefundTransition> = {}): RefundTransition => ({
  refund_id: 'T1R01',
  sequence,
  merchant_id: 'mer_1',
  created_at: CREATED,
  at: CREATED,
  published: true,
  ...fields,
})
const record = (sequence: number, sentStatus: string): AuditedDelivery => ({
  id: `T1R01.${sequence}`,
  transactionId: 'T1R01',
  sequence,
  merchantId: 'mer_1',
  status: 'delivered',
  deadReason: null,
  nextAttemptAt: null,
  claimedUntil: new Date(0),
  sentStatus,
  createdAt: new Date(CREATED),
})

/** The merchant registered its refund endpoint at this time, or never. */
function comparing(since: string | undefined, records: readonly AuditedDelivery[]) {
  const registrations = since === undefined ? [] : [{ url: 'https://merchant.example/', since: new Date(since) }]
  const endpoint = { id: 'mer_1:refund', registrations, secrets: [], health: [] }
  const endpoints = {
    findMany: async (ids: readonly string[]) => [endpoint].filter(({ id }) => ids.includes(id)),
  }
  const compare = makeCompareRefunds({ endpoints, listRefundDeliveriesOf: async () => [...records] })
  return async (changes: readonly RefundTransition[]) => {
    const { gaps } = await compare(changes, range, () => true, rules)
    return gaps.map(({ kind, id }) => `${kind} ${id}`)
  }
}

// Proves: webhooks/audit-covers-refunds
test('each owed webhook of a refund that is missing, unknown or wrong is named', async () => {
  const registered = '2026-01-01T00:00:00Z'
  const whole = [record(1, 'pending'), record(2, 'succeeded')]
  const changes = [change(1), change(2, { status: 'succeeded' })]
  expect(await comparing(registered, whole)(changes)).toEqual([])
  expect(await comparing(registered, whole.slice(1))(changes)).toEqual(['sequence_hole T1R01.1'])
  expect(await comparing(registered, whole.slice(0, 1))(changes)).toEqual(['no_delivery T1R01.2'])
  expect(await comparing(registered, whole)(changes.slice(0, 1))).toEqual(['no_transition T1R01.2'])
  expect(await comparing(registered, [record(1, 'pending'), record(2, 'failed')])(changes)).toEqual(['wrong_status T1R01.2'])
})

// Proves: webhooks/audit-covers-refunds, webhooks/refunds-are-opt-in
test('nothing is owed to a merchant without a refund endpoint at the time of the refund', async () => {
  expect(await comparing(undefined, [])([change(1)])).toEqual([])
  expect(await comparing('2026-01-01T12:00:00.001Z', [])([change(1)])).toEqual([])
  expect(await comparing(CREATED, [])([change(1)])).toEqual(['no_delivery T1R01.1'])
})
