import type { SettlementLinesPage, SettlementsPage } from '@gateway/contracts'
import type { JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { imported } from './operator-calls.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

/** The settlements of merchants. */
let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
beforeEach(() => fixture.entries.removeAll())
afterAll(() => fixture.stop())

// Proves: ledger/settlements-of-the-merchant
test('merchants see their settlements with sums, and their lines; those of another merchant are 404', async () => {
  const entries = [
    anEntry('SUM-1', { merchant_id: 'M7' }),
    anEntry('SUM-2', { merchant_id: 'M7', amount_paise: 10_000 }),
    anEntry('T7R01', { merchant_id: 'M7', kind: 'refund', amount_paise: 2500 }),
    anEntry('SUM-3', { merchant_id: 'M7', status: 'failed' }),
    anEntry('SUM-8', { merchant_id: 'M8' }),
  ]
  await fixture.entries.storeAll(entries)
  const lines = entries.map((entry) => lineOf(entry, entry.status === 'failed' ? { status: 'failed' } : {}))
  const more = lineOf(anEntry('SUM-4', { merchant_id: 'M7' }), { settled_on: '2026-11-05', settlement_id: 'SET-NEXT' })
  await fixture.entries.storeAll([anEntry('SUM-4', { merchant_id: 'M7' })])
  await imported(fixture, fileOf(...lines, more))
  const m7 = await fixture.as('M7')
  const { body } = await m7<SettlementsPage>('GET', '/api/v1/settlements')
  expect(body).toEqual({
    data: {
      settlements: [
        expect.objectContaining({ id: 'SET-NEXT', settled_on: '2026-11-05', lines: 1, net: '497.82' }),
        {
          ...{ id: 'SET-M7', settled_on: '2026-11-04', utr: 'UTR1', lines: 4, currency: 'INR', credit: '599.00', debit: '25.00' },
          ...{ fee: '3.00', tax: '0.54', net: '570.46' },
        },
      ],
    },
    next_cursor: null,
  })
  expect((await m7<SettlementsPage>('GET', '/api/v1/settlements?to=2026-11-04')).body.data.settlements).toHaveLength(1)
  expect((await m7<SettlementsPage>('GET', '/api/v1/settlements?from=2026-11-06')).body.data.settlements).toEqual([])
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/v1/settlements/SET-M7/lines?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page = await m7<SettlementLinesPage>('GET', path)
    seen.push(...page.body.data.lines.map(({ reference, direction }) => `${reference} ${direction}`))
    cursor = page.body.next_cursor
  }
  expect(seen).toEqual(['SUM-1 credit', 'SUM-2 credit', 'SUM-3 credit', 'T7R01 debit'])
  const refused = await merchant('GET', '/api/v1/settlements/SET-M7/lines')
  expect(refused).toMatchObject({ status: 404, body: { code: 'settlement_not_found' } })
  expect((await merchant<SettlementsPage>('GET', '/api/v1/settlements?from=2026-11-06')).body.data.settlements).toEqual([])
  const without = await fixture.as('M7', ['orders'])
  expect(await without('GET', '/api/v1/settlements')).toMatchObject({ status: 403 })
  for (const path of ['settlements?from=2026-02-30', 'settlements?cursor=x', 'settlements/SET-M7/lines?limit=0'])
    expect(await m7('GET', `/api/v1/${path}`)).toMatchObject({ status: 422 })
})

// Proves: ledger/cursors-stay-with-their-merchant
test('a changed cursor shows no settlement of another merchant', async () => {
  const entries = ['M21', 'M22', 'M23'].map((merchant_id) => anEntry(`OWN-${merchant_id}`, { merchant_id }))
  const more = anEntry('OWN-MORE', { merchant_id: 'M22' })
  await fixture.entries.storeAll([...entries, more])
  await imported(fixture, fileOf(...entries.map((entry) => lineOf(entry)), lineOf(more, { settlement_id: 'SET-MORE' })))
  const m22 = await fixture.as('M22')
  const own = (await m22<SettlementsPage>('GET', '/api/v1/settlements')).body.data.settlements
  expect(own.map(({ id }) => id)).toEqual(['SET-MORE', 'SET-M22'])
  const { body } = await m22<SettlementsPage>('GET', '/api/v1/settlements?limit=1')
  const text = Buffer.from(body.next_cursor ?? '', 'base64url').toString()
  const digest = text.slice(text.lastIndexOf('/') + 1)
  for (const position of ['~', 'M23:~', 'M24:', 'zzz', 'M21:~', '0']) {
    const cursor = Buffer.from(`${position}/${digest}`).toString('base64url')
    const seen = await m22<SettlementsPage>('GET', `/api/v1/settlements?limit=100&cursor=${cursor}`)
    expect(seen.status).toBe(200)
    expect(own).toEqual(expect.arrayContaining([...seen.body.data.settlements]))
  }
  const lines = await m22<SettlementLinesPage>('GET', '/api/v1/settlements/SET-M22/lines')
  expect(lines.body.data.lines).toMatchObject([{ reference: 'OWN-M22' }])
  expect(await m22('GET', '/api/v1/settlements/SET-M23/lines')).toMatchObject({ status: 404 })
})
