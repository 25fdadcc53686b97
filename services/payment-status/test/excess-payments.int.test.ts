/** A network that captures money for one order again and again: the document stays small, and all money goes back. */
import { reversalKey, type NetworkReport, type ReversalRequest } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { MAX_STORED_PAYMENTS } from '../src/payments/domain/transaction.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
/** What went back, by idempotency key. */
const returned = new Map<string, ReversalRequest>()
let answers = true
/** What enquiries for a transaction list. */
let list: (tr: string | null) => NetworkReport[] = () => []
beforeAll(async () => {
  fixture = await startFixture()
  fixture.network.answer(({ path, query, body, headers }) => {
    if (path !== '/network/v1/reversals') return { status: 200, body: { tr: query.get('tr'), payments: list(query.get('tr')) } }
    if (!answers) return { status: 500 }
    const request = body as ReversalRequest
    returned.set(String(headers['idempotency-key']), request)
    return { status: 200, body: { reference: request.reference, status: 'succeeded', reason: null, rrn: '998877665544' } }
  })
})
afterAll(() => fixture.stop())

// Proves: money/a-transaction-has-room-for-so-many-payments
test('money beyond the bound goes back before its report is acknowledged; without the network the report is refused', async () => {
  const { transaction_id: tr } = (await fixture.open()).data
  const references = Array.from({ length: MAX_STORED_PAYMENTS + 3 }, (_, index) => `N${index}`)
  for (const reference of references) expect(await fixture.report({ tr, reference })).toMatchObject({ status: 200 })

  answers = false
  expect(await fixture.report({ tr, reference: 'NEXT' })).toMatchObject({ status: 503, body: { code: 'network_unavailable' } })
  answers = true
  expect(await fixture.report({ tr, reference: 'NEXT' })).toMatchObject({ status: 200 })

  const owed = [...references.slice(1), 'NEXT'].map((reference) => `rev-${tr}-${reference}`)
  await eventually(() => expect([...returned.keys()].toSorted()).toEqual(owed.toSorted()))
  expect(new Set([...returned.values()].map(({ amount, reason }) => `${amount} ${reason}`))).toEqual(
    new Set(['499.00 duplicate']),
  )
  expect(await fixture.document(tr)).toMatchObject({ status: 'Success' })
  expect((await fixture.document(tr))?.['captures']).toHaveLength(MAX_STORED_PAYMENTS)
})

// Proves: money/excess-captures-go-back-part-by-part
test('all captures beyond the bound that an enquiry lists go back, though their callbacks are lost', async () => {
  const { transaction_id: tr } = (await fixture.open()).data
  const ofOrder = { tr, outcome: 'success', amount: '499.00', method: 'upi' } as const
  const named = (name: string, count: number): NetworkReport[] =>
    Array.from({ length: count }, (_, index) => ({ ...ofOrder, reference: `${name}${index}` }))
  const [first, beyond] = [named('N', MAX_STORED_PAYMENTS), named('LOST', 6)]
  let asked = 0
  // Enquiries for the payment of the test before come at the same time.
  const listed = (): NetworkReport[] => (asked++ === 0 ? first : beyond)
  list = (ofTransaction) => (ofTransaction === tr ? listed() : [])
  expect(await fixture.report({ tr, reference: 'N0' })).toMatchObject({ status: 200 })
  await eventually(() => expect([...returned.keys()]).toEqual(expect.arrayContaining(beyond.map(reversalKey))))
  const captures = (await fixture.document(tr))?.['captures'] as { reference: string }[]
  expect(captures.map(({ reference }) => reference).toSorted()).toEqual(first.map(({ reference }) => reference).toSorted())
  list = () => []
})
