import { eventually, runScript } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import {
  differencesOf,
  FILES,
  imported,
  named,
  upload,
  type DifferencesAnswer,
  type FileAnswer,
  type Found,
} from './operator-calls.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

/** From the upload of a settlement file to its differences. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
beforeEach(() => fixture.entries.removeAll())
afterAll(() => fixture.stop())

// Proves: ledger/every-difference-has-a-class
test('a file is compared with the entries: each class of difference is named, and nothing else', async () => {
  const good = Array.from({ length: 1100 }, (_, index) => anEntry(`GOOD-${index}`))
  const wrongAmount = anEntry('WRONG-AMOUNT')
  const wrongStatus = anEntry('T1R01', { kind: 'refund', status: 'failed' })
  const missing = anEntry('MISSING')
  const notDue = anEntry('NOT-DUE', { at: new Date('2026-11-03T04:30:00Z') })
  const pending = anEntry('T1R02', { kind: 'refund', status: 'pending' })
  for (let first = 0; first < good.length; first += 400) await fixture.entries.storeAll(good.slice(first, first + 400))
  await fixture.entries.storeAll([wrongAmount, wrongStatus, missing, notDue, pending])
  const lines = [
    ...good.map((entry) => lineOf(entry)),
    lineOf(wrongAmount, { amount: '498.99' }),
    lineOf(wrongStatus),
    lineOf(anEntry('UNKNOWN')),
    lineOf(good[0] ?? missing),
    lineOf(anEntry('BAD'), { amount: '1e3' }),
    'capture,TOO-SHORT',
  ]
  const id = await imported(fixture, fileOf(...lines))
  expect(named(await differencesOf(fixture, id))).toEqual([
    ['amount_differs', 'WRONG-AMOUNT', 'open'],
    ['duplicate', 'GOOD-0', 'open'],
    ['missing_at_bank', 'MISSING', 'open'],
    ['missing_at_us', 'UNKNOWN', 'open'],
    ['status_differs', 'T1R01', 'open'],
    ['unreadable', null, 'open'],
    ['unreadable', null, 'open'],
  ])
  expect(await differencesOf(fixture, id, '?class=amount_differs')).toMatchObject([
    { merchant_id: 'M1', line: 1102, ours: { amount: '499.00' }, bank: { amount: '498.99', status: 'succeeded' } },
  ])
  expect(await differencesOf(fixture, id, '?class=unreadable')).toMatchObject([
    { line: 1106, column: 'amount', reason: expect.stringContaining('two decimals') as string },
    { line: 1107, column: null, reason: 'must have 11 columns, and has 2' },
  ])
  const { body } = await fixture.operator<FileAnswer>('GET', `${FILES}/${id}`)
  expect(body.data.file).toMatchObject({
    ...{ lines: 1106, lines_imported: 1106, settled_until: '2026-11-04', received_by: 'asha' },
    differences: { amount_differs: 1, duplicate: 1, missing_at_bank: 1, missing_at_us: 1, status_differs: 1, unreadable: 2 },
  })
  const scraped = await (await fetch(`${fixture.baseUrl}/metrics`)).text()
  expect(scraped).toMatch(/ledger_differences_open\{class="unreadable",service="ledger"\} 2/u)
  expect(scraped).toMatch(/ledger_settlement_import_age_seconds\{service="ledger"\} \d/u)
  expect(scraped).toMatch(/ledger_settlement_files_failing\{service="ledger"\} 0/u)

  // Page by page.
  const walked: Found[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '?limit=3' : `?limit=3&cursor=${cursor}`
    const page = await fixture.operator<DifferencesAnswer>('GET', `${FILES}/${id}/differences${query}`)
    walked.push(...page.body.data.differences)
    cursor = page.body.next_cursor
  }
  expect(walked).toEqual(await differencesOf(fixture, id))

  // The same file again is the same file.
  expect(await upload(fixture, fileOf(...lines))).toMatchObject({
    status: 202,
    body: { data: { file: { id, state: 'imported' } } },
  })
  expect(await differencesOf(fixture, id)).toEqual(walked)
})

// Proves: ledger/later-file-closes-missing
test('a later file closes what was missing at the bank; its line again is a duplicate; nothing is named twice', async () => {
  const [missing, other] = [anEntry('LATE-1'), anEntry('LATE-2')]
  await fixture.entries.storeAll([missing, other])
  const first = await imported(fixture, fileOf(lineOf(other)))
  expect(named(await differencesOf(fixture, first))).toEqual([['missing_at_bank', 'LATE-1', 'open']])
  const second = await imported(
    fixture,
    fileOf(lineOf(missing, { settled_on: '2026-11-05' }), lineOf(other, { settled_on: '2026-11-05' })),
  )
  expect(named(await differencesOf(fixture, first))).toEqual([['missing_at_bank', 'LATE-1', 'closed']])
  expect(named(await differencesOf(fixture, second))).toEqual([['duplicate', 'LATE-2', 'open']])
})

// Proves: ledger/late-entries-are-settled
test('an entry that comes after its line is settled, and the difference of its line is closed', async () => {
  const { data } = await fixture.paymentStatus.open()
  const [early] = [anEntry('EARLY')]
  await fixture.entries.storeAll([early])
  const reference = 'PAY-LATE-ENTRY'
  const id = await imported(
    fixture,
    fileOf(lineOf(early), lineOf(anEntry(reference), { amount: '499.00', tr: data.transaction_id })),
  )
  expect(named(await differencesOf(fixture, id))).toEqual([['missing_at_us', reference, 'open']])
  await fixture.paymentStatus.report({ tr: data.transaction_id, reference })
  await eventually(async () => expect(named(await differencesOf(fixture, id))).toEqual([['missing_at_us', reference, 'closed']]))
  const settled = async () => (await fixture.entries.find([`capture:${reference}`])).get(`capture:${reference}`)
  // The difference is closed first, so that a crash between the two writes leaves nothing undone.
  await eventually(async () => expect(await settled()).toMatchObject({ settlement: id }))
  expect(await settled()).not.toHaveProperty('unsettled_since')

  // A rebuild from nothing settles it again.
  const before = { ...(await settled()), version: 0 }
  const { mongoUrl, database, paymentStatusUrl, serviceToken } = fixture.config
  const env = { ENVIRONMENT: 'sandbox', MONGO_URL: mongoUrl, DATABASE: database, PAYMENT_STATUS_URL: paymentStatusUrl }
  const rebuilt = await runScript({
    script: new URL('../src/rebuild.ts', import.meta.url),
    args: ['--replace'],
    env: { ...env, SERVICE_TOKEN: serviceToken, PAYER_HASH_KEY: fixture.payerHashKey },
  })
  expect(rebuilt.code).toBe(0)
  expect({ ...(await settled()), version: 0 }).toEqual(before)
})
