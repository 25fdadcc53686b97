import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { istDay, type DailyReport } from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import type { Entry } from '../src/reconciliation/domain/entry.ts'
import { startLedger } from '../src/service.ts'
import { aCopy, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const anEntry = (reference: string, at: string, more: Partial<Entry> = {}): Entry => ({
  ...{ kind: 'capture', reference, merchant_id: 'M1', transaction_id: 'T1', order_id: `ORD-${reference}`, rrn: null },
  ...{ method: 'upi', amount_paise: 10_050, status: 'succeeded', at: new Date(at), version: 1, ...more },
})
const json = async (date: string, as = merchant): Promise<DailyReport> => {
  const { status, body } = await as<DailyReport>('GET', `/api/v1/reports/daily?date=${date}&format=json`)
  expect(status).toBe(200)
  return body
}

// Proves: ledger/report-is-the-day
test('the report has the money of the IST day, half open, and an end that shows that it is complete', async () => {
  await fixture.entries.storeAll([
    anEntry('BEFORE', '2026-11-20T18:29:59.999Z'),
    anEntry('FIRST', '2026-11-20T18:30:00.000Z', { order_id: '=HYPERLINK("x"),1' }),
    anEntry('T1R01', '2026-11-21T10:00:00.000Z', { kind: 'refund', amount_paise: 2500, rrn: '123456789012' }),
    anEntry('T1R02', '2026-11-21T11:00:00.000Z', { kind: 'refund', status: 'pending' }),
    anEntry('LAST', '2026-11-21T18:29:59.999Z', { kind: 'unwanted_capture' }),
    anEntry('AFTER', '2026-11-21T18:30:00.000Z'),
    anEntry('OTHER', '2026-11-21T10:00:00.000Z', { merchant_id: 'M2' }),
  ])
  const report = await json('2026-11-21')
  expect(report.data.events.map(({ reference, direction, at }) => [reference, direction, at])).toEqual([
    ['FIRST', 'credit', '2026-11-21T00:00:00.000+05:30'],
    ['T1R01', 'debit', '2026-11-21T15:30:00.000+05:30'],
    ['LAST', 'credit', '2026-11-21T23:59:59.999+05:30'],
  ])
  const { as_of } = report.data
  const known = { as_of, complete: Date.now() > Date.parse('2026-11-21T18:30:00Z') }
  expect(report.data).toMatchObject(known)
  expect(report.end).toEqual({ rows: 3, credit: '201.00', debit: '25.00', ...known })
  expect((await json('2026-11-21', await fixture.as('M2'))).data.events).toMatchObject([{ reference: 'OTHER' }])
  expect(await json('2020-01-01')).toEqual({
    data: { date: '2020-01-01', as_of: expect.any(String) as string, complete: true, events: [] },
    end: { rows: 0, credit: '0.00', debit: '0.00', as_of: expect.any(String) as string, complete: true },
  })

  const { body: csv } = await merchant<string>('GET', '/api/v1/reports/daily?date=2026-11-21')
  const [table, end] = [csv.slice(0, csv.lastIndexOf('#end')), csv.slice(csv.lastIndexOf('#end'))]
  expect(table.split('\r\n')).toEqual([
    'at,kind,direction,amount,currency,order_id,transaction_id,reference,rrn,method',
    '2026-11-21T00:00:00.000+05:30,capture,credit,100.50,INR,"\'=HYPERLINK(""x""),1",T1,FIRST,,upi',
    '2026-11-21T15:30:00.000+05:30,refund,debit,25.00,INR,ORD-T1R01,T1,T1R01,123456789012,upi',
    '2026-11-21T23:59:59.999+05:30,unwanted_capture,credit,100.50,INR,ORD-LAST,T1,LAST,,upi',
    '',
  ])
  const sha256 = createHash('sha256').update(table).digest('hex')
  expect(end).toMatch(new RegExp(`^#end,3,201\\.00,25\\.00,${sha256},[\\d-]+T[\\d:.]+Z,${known.complete}\r\n$`, 'u'))
})

test('a day with many events is written whole, some of them in one millisecond', async () => {
  const at = Date.parse('2026-10-05T00:00:00Z')
  const many = Array.from({ length: 5200 }, (_, index) =>
    anEntry(`MANY-${index}`, new Date(index < 2600 ? at : at + index * 3).toISOString(), { merchant_id: 'M3' }),
  )
  for (let first = 0; first < many.length; first += 400) await fixture.entries.storeAll(many.slice(first, first + 400))
  const { data, end } = await json('2026-10-05', await fixture.as('M3'))
  expect(new Set(data.events.map(({ reference }) => reference)).size).toBe(5200)
  expect(end).toMatchObject({ rows: 5200, credit: '522600.00', debit: '0.00' })
})

/** Publishes events with this time, so that the ledger always has some in hand, until the returned function is called. */
function keepPublishing(publishedAt: Date): () => Promise<void> {
  const over = new AbortController()
  const publishing = (async () => {
    while (!over.signal.aborted) {
      await fixture.publish(aCopy({ merchant_id: 'M9' }), publishedAt)
      await sleep(20)
    }
  })()
  return async () => {
    over.abort()
    await publishing
  }
}

// Proves: ledger/report-says-how-complete
test('while the ledger has events of a day in hand, a report says that it lacks them, in its head, end and headers', async () => {
  const [noon, path] = ['2025-11-21T06:30:00.000Z', '/api/v1/reports/daily?date=2025-11-21']
  const stop = keepPublishing(new Date(noon))
  try {
    const lacking = { as_of: noon, complete: false }
    await eventually(async () => expect(await json('2025-11-21')).toMatchObject({ data: lacking, end: lacking }))
    await eventually(async () => {
      const csv = await fetch(fixture.baseUrl + path, { headers: await fixture.authorize('M1') })
      expect(['x-report-as-of', 'x-report-complete'].map((name) => csv.headers.get(name))).toEqual([noon, 'false'])
      expect(await csv.text()).toMatch(new RegExp(`\r\n#end,0,0\\.00,0\\.00,[0-9a-f]{64},${noon},false\r\n$`, 'u'))
    })
    // The day before had ended by then.
    await eventually(async () => expect((await json('2025-11-20')).end).toMatchObject({ as_of: noon, complete: true }))
  } finally {
    await stop()
  }
  await eventually(async () => expect((await json('2025-11-21')).end).toMatchObject({ complete: true }))
  const today = (await json(istDay(new Date()))).end
  expect([today.complete, Date.parse(today.as_of) <= Date.now()]).toEqual([false, true])
})

// Proves: ledger/complete-counts-all-replicas
test('no replica calls a day complete while another one holds an event of it', async () => {
  const second = await startLedger(fixture.config, silentLog)
  const ofSecond = jsonClient(`http://127.0.0.1:${second.port}`, await fixture.authorize('M1'))
  const ends = async () =>
    Promise.all(
      [merchant, ofSecond].map(
        async (as) => (await as<DailyReport>('GET', '/api/v1/reports/daily?date=2025-11-25&format=json')).body.end,
      ),
    )
  const noon = new Date('2025-11-25T06:30:00.000Z')
  const stop = keepPublishing(noon)
  try {
    const lacking = { as_of: noon.toISOString(), complete: false }
    await eventually(async () => expect(await ends()).toMatchObject([lacking, lacking]))
  } finally {
    await stop()
  }
  await eventually(async () => expect(await ends()).toMatchObject([{ complete: true }, { complete: true }]))
  const replicas = fixture.connection.collection('replicas')
  expect(await replicas.countDocuments()).toBe(2)
  await stopAll(silentLog, second.parts, 15_000)
  expect(await replicas.countDocuments()).toBe(1)
})

// Proves: ledger/reports-are-limited
test('a third report of one merchant waits until a caller of the others is gone', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) =>
    anEntry(`SLOW-${index}`, new Date(Date.parse('2026-09-05T00:00:00Z') + index * 500).toISOString(), {
      merchant_id: 'M4',
      order_id: 'X'.repeat(400),
    }),
  )
  for (let first = 0; first < many.length; first += 1000) await fixture.entries.storeAll(many.slice(first, first + 1000))
  const m4 = await fixture.as('M4')
  const path = '/api/v1/reports/daily?date=2026-09-05&format=json'
  const controller = new AbortController()
  // Nobody reads these answers, and they are larger than the buffers of the sockets.
  const init = { headers: await fixture.authorize('M4'), signal: controller.signal }
  const unread = await Promise.all([0, 1].map(() => fetch(fixture.baseUrl + path, init)))
  expect(unread.map(({ status }) => status)).toEqual([200, 200])
  const refused = await m4('GET', path)
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_reports' } })
  expect((await json('2026-09-05', await fixture.as('M5'))).end.rows).toBe(0)
  controller.abort()
  await eventually(async () => expect(await m4('GET', path)).toMatchObject({ status: 200, body: { end: { rows: 20_000 } } }))
})

// Proves: ledger/slow-readers-leave-slots
test('two reports of each of eight merchants, which nobody reads, do not keep another merchant from its report', async () => {
  const at = Date.parse('2026-08-05T00:00:00Z')
  const path = '/api/v1/reports/daily?date=2026-08-05&format=json'
  const { hostname, port } = new URL(fixture.baseUrl)
  const sockets: Socket[] = []
  for (let merchant = 0; merchant < 8; merchant++) {
    const merchant_id = `SLOW${merchant}`
    // Larger than the buffers of a socket that nobody reads.
    const many = Array.from({ length: 1000 }, (_, index) =>
      anEntry(`${merchant_id}-${index}`, new Date(at + index * 500).toISOString(), { merchant_id, order_id: 'X'.repeat(5000) }),
    )
    for (let first = 0; first < many.length; first += 500) await fixture.entries.storeAll(many.slice(first, first + 500))
    const { authorization } = await fixture.authorize(merchant_id)
    for (const socket of [connect(Number(port), hostname), connect(Number(port), hostname)]) {
      sockets.push(socket)
      socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n\r\n`)
      await once(socket, 'readable')
    }
  }
  expect((await json('2026-08-05', await fixture.as('OTHER'))).end.rows).toBe(0)
  for (const socket of sockets) socket.destroy()
})

// Proves: ledger/report-is-the-day
test('a report whose database is lost half-way ends with an error, and without the line that says that it is complete', async () => {
  const { paymentStatus, config } = fixture
  const service = await startLedger({ ...config, mongoUrl: paymentStatus.config.mongoUrl }, silentLog)
  try {
    const url = `http://127.0.0.1:${service.port}/api/v1/reports/daily?date=2026-09-05`
    const answer = await fetch(url, { headers: await fixture.authorize('M4') })
    expect(answer.status).toBe(200)
    paymentStatus.databaseProxy.cut()
    let text = ''
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const bytes of (answer.body ?? []) as AsyncIterable<Uint8Array>) text += decoder.decode(bytes, { stream: true })
    })()
    await expect(reading).rejects.toThrow()
    expect(text).toMatch(/^at,kind/u)
    expect(text).not.toContain('#end')
  } finally {
    paymentStatus.databaseProxy.restore()
    await stopAll(silentLog, service.parts, 15_000)
  }
})

test('the query is checked, and the scope read is needed', async () => {
  const without = await fixture.as('M1', ['orders'])
  expect(await without('GET', '/api/v1/reports/daily?date=2026-11-21')).toMatchObject({ status: 403 })
  for (const query of ['', 'date=2026-02-30', 'date=21-11-2026', 'date=2026-11-21&format=xml', 'date=2026-11-21&limit=1'])
    expect([query, await merchant('GET', `/api/v1/reports/daily?${query}`)]).toMatchObject([query, { status: 422 }])
})
