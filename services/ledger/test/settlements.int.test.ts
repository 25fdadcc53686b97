import { createHash } from 'node:crypto'
import type { SettlementLinesPage, SettlementsPage } from '@gateway/contracts'
import { eventually, runScript, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { anEntry, fileOf, HEADER, lineOf } from './settlement-data.ts'

interface FileAnswer {
  readonly data: { readonly file: { readonly id: string; readonly state: string; readonly differences: Record<string, number> } }
}
interface DifferencesAnswer {
  readonly data: { readonly differences: readonly Found[] }
  readonly next_cursor: string | null
}
interface Found {
  readonly id: string
  readonly class: string
  readonly reference: string | null
  readonly status: string
}

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
beforeEach(() => fixture.entries.removeAll())
afterAll(() => fixture.stop())

const FILES = '/operator/v1/settlement-files'
const CSV = { 'content-type': 'text/csv' }
const upload = <T = FileAnswer>(text: string, headers: Record<string, string> = CSV) =>
  fixture.operator<T>('POST', FILES, text, headers)

/** Uploads a file and waits for its import; resolves to its id. */
async function imported(text: string): Promise<string> {
  const { status, body } = await upload(text)
  expect(status).toBe(202)
  const { id } = body.data.file
  expect(id).toBe(createHash('sha256').update(text).digest('hex'))
  await eventually(
    async () => {
      const answer = await fixture.operator<FileAnswer>('GET', `${FILES}/${id}`)
      expect(answer.body.data.file.state).toBe('imported')
    },
    { deadlineMs: 30_000 },
  )
  return id
}
const differencesOf = async (id: string, query = ''): Promise<readonly Found[]> => {
  const { status, body } = await fixture.operator<DifferencesAnswer>('GET', `${FILES}/${id}/differences${query}`)
  expect(status).toBe(200)
  return body.data.differences
}
const named = (found: readonly Found[]) => found.map((one) => [one.class, one.reference, one.status])

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
  const id = await imported(fileOf(...lines))
  expect(named(await differencesOf(id))).toEqual([
    ['amount_differs', 'WRONG-AMOUNT', 'open'],
    ['duplicate', 'GOOD-0', 'open'],
    ['missing_at_bank', 'MISSING', 'open'],
    ['missing_at_us', 'UNKNOWN', 'open'],
    ['status_differs', 'T1R01', 'open'],
    ['unreadable', null, 'open'],
    ['unreadable', null, 'open'],
  ])
  expect(await differencesOf(id, '?class=amount_differs')).toMatchObject([
    { merchant_id: 'M1', line: 1102, ours: { amount: '499.00' }, bank: { amount: '498.99', status: 'succeeded' } },
  ])
  expect(await differencesOf(id, '?class=unreadable')).toMatchObject([
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
  expect(walked).toEqual(await differencesOf(id))

  // The same file again is the same file.
  expect(await upload(fileOf(...lines))).toMatchObject({ status: 202, body: { data: { file: { id, state: 'imported' } } } })
  expect(await differencesOf(id)).toEqual(walked)
})

// Proves: ledger/later-file-closes-missing
test('a later file closes what was missing at the bank; its line again is a duplicate; nothing is named twice', async () => {
  const [missing, other] = [anEntry('LATE-1'), anEntry('LATE-2')]
  await fixture.entries.storeAll([missing, other])
  const first = await imported(fileOf(lineOf(other)))
  expect(named(await differencesOf(first))).toEqual([['missing_at_bank', 'LATE-1', 'open']])
  const second = await imported(
    fileOf(lineOf(missing, { settled_on: '2026-11-05' }), lineOf(other, { settled_on: '2026-11-05' })),
  )
  expect(named(await differencesOf(first))).toEqual([['missing_at_bank', 'LATE-1', 'closed']])
  expect(named(await differencesOf(second))).toEqual([['duplicate', 'LATE-2', 'open']])
})

// Proves: ledger/late-entries-are-settled
test('an entry that comes after its line is settled, and the difference of its line is closed', async () => {
  const { data } = await fixture.paymentStatus.open()
  const [early] = [anEntry('EARLY')]
  await fixture.entries.storeAll([early])
  const reference = 'PAY-LATE-ENTRY'
  const id = await imported(fileOf(lineOf(early), lineOf(anEntry(reference), { amount: '499.00' })))
  expect(named(await differencesOf(id))).toEqual([['missing_at_us', reference, 'open']])
  await fixture.paymentStatus.report({ tr: data.transaction_id, reference })
  await eventually(async () => expect(named(await differencesOf(id))).toEqual([['missing_at_us', reference, 'closed']]))
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

// Proves: ledger/settlements-of-the-merchant
test('merchants see their settlements with sums, and their lines; those of another merchant are 404', async () => {
  const entries = [
    anEntry('SUM-1', { merchantId: 'M7' }),
    anEntry('SUM-2', { merchantId: 'M7', amountPaise: 10_000 }),
    anEntry('T7R01', { merchantId: 'M7', kind: 'refund', amountPaise: 2500 }),
    anEntry('SUM-3', { merchantId: 'M7', status: 'failed' }),
    anEntry('SUM-8', { merchantId: 'M8' }),
  ]
  await fixture.entries.storeAll(entries)
  const lines = entries.map((entry) => lineOf(entry, entry.status === 'failed' ? { status: 'failed' } : {}))
  const more = lineOf(anEntry('SUM-4', { merchantId: 'M7' }), { settled_on: '2026-11-05', settlement_id: 'SET-NEXT' })
  await fixture.entries.storeAll([anEntry('SUM-4', { merchantId: 'M7' })])
  await imported(fileOf(...lines, more))
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
  const entries = ['M21', 'M22', 'M23'].map((merchantId) => anEntry(`OWN-${merchantId}`, { merchantId }))
  const more = anEntry('OWN-MORE', { merchantId: 'M22' })
  await fixture.entries.storeAll([...entries, more])
  await imported(fileOf(...entries.map((entry) => lineOf(entry)), lineOf(more, { settlement_id: 'SET-MORE' })))
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

// Proves: ledger/operators-resolve-differences
test('operators resolve differences with a note, once; no other caller gets in', async () => {
  const id = await imported(fileOf(lineOf(anEntry('RESOLVE')), lineOf(anEntry('SETTLED'))))
  const [first] = await differencesOf(id)
  const resolve = (note: string, difference = first?.id ?? '') =>
    fixture.operator('POST', `/operator/v1/differences/${difference}/resolve`, { note })
  expect(await resolve('card 4111 1111 1111 1111')).toMatchObject({ status: 422, body: { errors: [{ field: '/note' }] } })
  expect(await resolve('')).toMatchObject({ status: 422 })
  const expected = {
    status: 200,
    body: { data: { difference: { status: 'resolved', resolved_by: 'asha', note: 'asked the bank' } } },
  }
  expect(await resolve('asked the bank')).toMatchObject(expected)
  expect(await resolve('asked the bank')).toMatchObject(expected)
  expect(await resolve('another')).toMatchObject({ status: 409, body: { code: 'difference_not_open' } })
  expect(await resolve('x', 'bm9uZQ')).toMatchObject({ status: 404, body: { code: 'difference_not_found' } })
  expect(await fixture.operator('GET', `${FILES}/none`)).toMatchObject({
    status: 404,
    body: { code: 'settlement_file_not_found' },
  })
  for (const strange of ['%00', 'F'.repeat(64), `${'0'.repeat(63)}%C3%A9`])
    expect((await fixture.operator('GET', `${FILES}/${strange}`)).status).toBe(404)
  for (const strange of ['AA', Buffer.from('a\0b').toString('base64url'), Buffer.from([0xff, 0xfe]).toString('base64url')])
    expect(await resolve('x', strange)).toMatchObject({ status: 404, body: { code: 'difference_not_found' } })
  for (const headers of [{}, await fixture.authorize('M1')])
    expect((await fetch(`${fixture.operatorUrl}${FILES}/${id}`, { headers })).status).toBe(401)
  expect((await fetch(`${fixture.baseUrl}${FILES}/${id}`, { headers: await fixture.authorize('M1') })).status).toBe(404)
})

// Proves: ledger/bad-files-are-refused
test('what is no settlement file is refused, with the column and the line, and leaves nothing behind', async () => {
  const refusals: [string, number, object][] = [
    ['', 422, { errors: [{ message: expect.stringContaining('line 1') as string }] }],
    [`${HEADER}\r\n`, 422, { errors: [{ message: expect.stringContaining('line 2') as string }] }],
    [
      'kind,reference\r\ncapture,R1\r\n',
      422,
      { errors: expect.arrayContaining([expect.objectContaining({ field: '/amount' })]) as object },
    ],
    [`${HEADER},more\r\n`, 422, { errors: [{ field: '/', message: 'line 1: column 12 is unknown' }] }],
    [fileOf('capture,"R1'), 422, { errors: [{ message: expect.stringMatching(/line 3: .*CSV_QUOTE_NOT_CLOSED/u) as string }] }],
    [fileOf('x'.repeat(20_000)), 422, { errors: [{ message: expect.stringContaining('CSV_MAX_RECORD_SIZE') as string }] }],
    [fileOf(...Array.from({ length: 80_000 }, () => lineOf(anEntry('X')))), 413, { code: 'body_too_large' }],
  ]
  for (const [text, status, body] of refusals) expect(await upload<object>(text)).toMatchObject({ status, body })
  expect(await upload<object>('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 })
  const database = fixture.paymentStatus.sandbox.client.db(fixture.config.database)
  expect(await database.collection('settlement_chunks').countDocuments()).toBe(0)
  expect(await database.collection('settlement_uploads').countDocuments()).toBe(0)
})
