import { startFixture, type Fixture } from './fixture.ts'
import { differencesOf, FILES, imported, upload, type FilesAnswer, type Listed } from './operator-calls.ts'
import { anEntry, fileOf, HEADER, lineOf } from './settlement-data.ts'

/** What operators can do, and what is refused. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
beforeEach(() => fixture.entries.removeAll())
afterAll(() => fixture.stop())

// Proves: ledger/operators-resolve-differences
test('operators resolve differences with a note, once; no other caller gets in', async () => {
  const id = await imported(fixture, fileOf(lineOf(anEntry('RESOLVE')), lineOf(anEntry('SETTLED'))))
  const [first] = await differencesOf(fixture, id)
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
    [fileOf('capture;R1').replaceAll(',', ';'), 422, { errors: [{ message: expect.stringContaining('semicolons') as string }] }],
    [fileOf('capture,"R1'), 422, { errors: [{ message: expect.stringMatching(/line 2: .*CSV_QUOTE_NOT_CLOSED/u) as string }] }],
    [fileOf('x'.repeat(20_000)), 422, { errors: [{ message: expect.stringContaining('CSV_MAX_RECORD_SIZE') as string }] }],
    [fileOf(...Array.from({ length: 80_000 }, () => lineOf(anEntry('X')))), 413, { code: 'body_too_large' }],
  ]
  for (const [text, status, body] of refusals) expect(await upload<object>(fixture, text)).toMatchObject({ status, body })
  expect(await upload<object>(fixture, '{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 })
  const database = fixture.paymentStatus.sandbox.client.db(fixture.config.database)
  expect(await database.collection('settlement_chunks').countDocuments()).toBe(0)
})

// Proves: ledger/bad-files-are-refused, ledger/likely-cause-first
test.each<[string, string | Buffer, RegExp]>([
  [
    'a quotation mark in a value',
    fileOf(lineOf(anEntry('A')), lineOf(anEntry('B'), { utr: '5" tile' })),
    /^line 3: .*within a value/u,
  ],
  [
    'a card number with a quotation mark',
    fileOf('', lineOf(anEntry('A'), { rrn: '4111111111111111"' })),
    /^line 3: .*within a value/u,
  ],
  ['a space before a quoted cell', fileOf(lineOf(anEntry('A'), { utr: ' "U"' })), /^line 2: .*a space before it/u],
  [
    'text after a quoted cell',
    fileOf(lineOf(anEntry('A'), { utr: '"4111111111111111"x' })),
    /^line 2: .*closing quotation mark/u,
  ],
  [
    'a quote that is never closed',
    fileOf('', 'x,"4111', ...Array.from({ length: 9000 }, () => 'x,y')),
    /^line 3: .*is not closed/u,
  ],
  [
    'a workbook',
    Buffer.from(`504b0304${'00'.repeat(900)}`, 'hex'),
    /^the file is an Excel workbook \(\.xlsx\).*: save the sheet as CSV/u,
  ],
  ['UTF-16', Buffer.from(fileOf(lineOf(anEntry('A'))), 'utf16le'), /^the file is text in UTF-16/u],
  ['a title', `Settlement 4111111111111111\r\n${fileOf(lineOf(anEntry('A')))}`, /^line 1: .*are in line 2: remove/u],
])('%s: one message names the line or the cause, and repeats no value', async (_what, text, cause) => {
  const { operatorUrl, config } = fixture
  const [token] = config.operators.get('asha') ?? []
  const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'text/csv' }
  const answer = await fetch(operatorUrl + FILES, { method: 'POST', headers, body: text })
  const { errors } = (await answer.json()) as { errors: unknown[] }
  expect([answer.status, errors]).toEqual([422, [{ field: '/', message: expect.stringMatching(cause) as string }]])
  expect(JSON.stringify(errors)).not.toContain('4111')
})

// Proves: ledger/likely-cause-first
test('a file of a spreadsheet program is read: a byte order mark, capital letters, spaces around the values', async () => {
  const entry = anEntry('SPREADSHEET')
  await fixture.entries.storeAll([entry])
  const [names, line] = [HEADER.toUpperCase().replaceAll('_', ' '), lineOf(entry).replaceAll(',', ' , ')]
  const id = await imported(fixture, `\ufeff${names}\r\n\r\n${line}\r\n`)
  expect(await differencesOf(fixture, id)).toEqual([])
})

// Proves: api/one-reader-of-bodies
test('a settlement file in another charset is refused as such, and leaves nothing behind', async () => {
  const file = fileOf(lineOf(anEntry('LATIN'), { utr: 'JOSÉ' }))
  const latin1 = await upload<object>(fixture, Buffer.from(file, 'latin1'))
  expect(latin1).toMatchObject({ status: 400, body: { code: 'body_not_utf8' } })
  const charset = { 'content-type': 'text/csv; charset=iso-8859-1' }
  expect(await upload<object>(fixture, file, charset)).toMatchObject({ status: 415 })
  const database = fixture.paymentStatus.sandbox.client.db(fixture.config.database)
  expect(await database.collection('settlement_chunks').countDocuments()).toBe(0)
})

// Proves: ledger/operators-list-files
test('operators list the settlement files page by page, newest first', async () => {
  const entry = anEntry('LISTED')
  await fixture.entries.storeAll([entry])
  const texts = ['2.00', '3.00', '4.00'].map((amount) => fileOf(lineOf(entry, { amount })))
  // All are uploaded before the first import, so that the importer pauses once.
  for (const text of texts) expect((await upload(fixture, text)).status).toBe(202)
  const ids: string[] = []
  for (const text of texts) ids.unshift(await imported(fixture, text))
  const walked: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { status, body } = await fixture.operator<FilesAnswer>('GET', `${FILES}?limit=2${page}`)
    expect(status).toBe(200)
    expect(body.data.files.length).toBeLessThanOrEqual(2)
    walked.push(...body.data.files)
    cursor = body.next_cursor
  }
  // The files of the other tests are behind them.
  expect(walked.slice(0, 3).map(({ id }) => id)).toEqual(ids)
  expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length)
  expect(walked[0]).toMatchObject({
    ...{ state: 'imported', lines: 1, settled_until: '2026-11-04', received_by: 'asha', failure: null },
    ...{ received_at: expect.any(String) as string, imported_at: expect.any(String) as string },
  })
  expect((await fixture.operator<FilesAnswer>('GET', FILES)).body.data.files).toEqual(walked)
  const refused = await fixture.operator<FilesAnswer>('GET', `${FILES}?cursor=x`)
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: '/cursor' }] } })
  expect((await fetch(`${fixture.operatorUrl}${FILES}`)).status).toBe(401)
  expect((await fetch(`${fixture.baseUrl}${FILES}`, { headers: await fixture.authorize('M1') })).status).toBe(404)
})

// Proves: ledger/operators-list-files
test('a difference has the order that it is about, when the ledger knows it', async () => {
  const known = anEntry('KNOWN')
  await fixture.entries.storeAll([known])
  const lines = [lineOf(known, { amount: '2.00' }), lineOf(known), lineOf(anEntry('UNKNOWN')), 'capture,TOO-SHORT']
  const id = await imported(fixture, fileOf(...lines))
  const ordersOf = async () => (await differencesOf(fixture, id)).map((one) => [one.class, one.order_id])
  expect(await ordersOf()).toEqual([
    ...[
      ['amount_differs', 'ORD-KNOWN'],
      ['duplicate', 'ORD-KNOWN'],
      ['missing_at_us', null],
      ['unreadable', null],
    ],
  ])
  const [first] = await differencesOf(fixture, id)
  const resolved = await fixture.operator('POST', `/operator/v1/differences/${first?.id}/resolve`, { note: 'x' })
  expect(resolved).toMatchObject({ status: 200, body: { data: { difference: { order_id: 'ORD-KNOWN', status: 'resolved' } } } })
})

test('a wrong limit and an empty note are refused in words', async () => {
  const id = await imported(fixture, fileOf(lineOf(anEntry('WORDS'))))
  const limit = { errors: [{ field: '/limit', message: 'must be a whole number from 1 to 500' }] }
  for (const path of [`${FILES}?limit=0`, `${FILES}?limit=501`, `${FILES}/${id}/differences?limit=0`])
    expect([path, await fixture.operator('GET', path)]).toMatchObject([path, { status: 422, body: limit }])
  const [first] = await differencesOf(fixture, id)
  for (const note of ['', '  ', 'x'.repeat(501), 'a\nb'])
    expect(await fixture.operator('POST', `/operator/v1/differences/${first?.id}/resolve`, { note })).toMatchObject({
      status: 422,
      body: { errors: [{ field: '/note', message: expect.stringMatching(/^must be a text of 1 to 500 characters/u) as string }] },
    })
})
