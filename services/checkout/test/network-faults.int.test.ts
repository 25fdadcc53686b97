import { createServer, type Socket } from 'node:net'
import { CAPABILITIES_PATH } from '@gateway/contracts'
import type { JsonReply } from '@gateway/testkit'
import { TOTAL_BUDGET_MS } from '../src/use-cases/pay.ts'
import { BANK_PAGE } from './fake-network.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { BANK, newShopper, payFields, type Shopper } from './shopper.ts'

/** A network that hangs, fails, lies or answers twice: there is one attempt, and an enquiry settles unclear answers. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())
afterEach(() => fixture.network.restore())

const startsOf = (id: string) => fixture.network.starts.filter(({ tr }) => tr === id)
/** How long the gateway waits for a page (`UPSTREAM_TIMEOUT`). */
const GATEWAY_TIMEOUT_MS = 10_000
/** A slower answer fails the test. Far above the page's own limit, because the machine may be busy. */
const NO_ANSWER_MS = 50_000

async function payAt(where: Fixture): Promise<{ id: string; path: string; shopper: Shopper; response: Response }> {
  const { id, path } = where.payment()
  const shopper = newShopper(where)
  const fields = payFields(await shopper.open(path))
  const late = AbortSignal.timeout(NO_ANSWER_MS)
  const response = await Promise.race([
    shopper.post(`${path}/pay`, fields),
    new Promise<never>((_resolve, reject) => late.addEventListener('abort', () => reject(new Error('no answer')))),
  ])
  return { id, path, shopper, response }
}
/** The attempt is committed and the page shows it as waiting. */
async function itWaits({ id, path, shopper, response }: Awaited<ReturnType<typeof payAt>>, where = fixture): Promise<void> {
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect(where.view(id).attempts).toMatchObject([{ status: 'open' }])
  const { html } = await shopper.open(path)
  expect(html).toContain('Waiting for your bank')
  expect(html).not.toContain(`${path}/bank"`)
}

const started = (fields: object): JsonReply => ({
  status: 201,
  body: { reference: 'R-1', status: 'pending', redirect_url: BANK_PAGE, reason: null, ...fields },
})
const unclear: [string, JsonReply][] = [
  ['500', { status: 500, body: { code: 'internal_error' } }],
  ['503', { status: 503 }],
  ['too many requests', { status: 429 }],
  ['a reset', 'reset'],
  ['text', { status: 201, body: 'OK' }],
  ['an answer without a reference', started({ reference: undefined })],
  ['an unknown outcome', started({ status: 'paid' })],
  ['a list', { status: 201, body: [] }],
  ['a page that is a script', started({ redirect_url: 'javascript:alert(1)' })],
  ['a page that is not an address', started({ redirect_url: 'bank' })],
  ['a page that does not fit a cookie', started({ redirect_url: `https://bank.example/${'x'.repeat(2100)}` })],
  ['a redirect', { status: 302 }],
  ['success without content', { status: 204 }],
]

test.each(unclear)('%s, and then an answer: the same attempt is retried, and the shopper continues', async (_name, reply) => {
  fixture.network.answer((request) => {
    // Asked at the start, beside the payments.
    if (request.path === CAPABILITIES_PATH) return fixture.network.charge(request)
    fixture.network.restore()
    return reply
  })
  const { id, path, response } = await payAt(fixture)
  expect(response.headers.get('location')).toBe(`${path}/bank`)
  expect(startsOf(id)).toHaveLength(2)
  expect(new Set(startsOf(id).map((start) => JSON.stringify(start))).size).toBe(1)
})

/** One of each kind; the others take the same branch. */
const KINDS = ['500', 'a reset', 'text', 'a page that is a script']

test.each(unclear.filter(([name]) => KINDS.includes(name)))(
  '%s, always: a few retries, and then the page waits',
  async (_name, reply) => {
    fixture.network.answer(() => reply)
    const paid = await payAt(fixture)
    await itWaits(paid)
    expect(startsOf(paid.id)).toHaveLength(4)
    expect(new Set(startsOf(paid.id).map(({ attempt_id: attemptId }) => attemptId)).size).toBe(1)
  },
)

test('the answer to a start is lost: the retry is the same payment', async () => {
  const { network } = fixture
  network.answer((request) => {
    network.restore()
    network.charge(request)
    return 'reset'
  })
  const { id, path, response } = await payAt(fixture)
  expect(response.headers.get('location')).toBe(`${path}/bank`)
  expect([...network.charges.values()].filter(({ tr }) => tr === id)).toHaveLength(1)
})

test.each([400, 401, 403, 404, 422])('refused with %d: no retry, and the page waits', async (status) => {
  fixture.network.answer(() => ({ status, body: { detail: 'no' } }))
  const paid = await payAt(fixture)
  await itWaits(paid)
  expect(startsOf(paid.id)).toHaveLength(1)
})

test('it hangs: the page answers before the gateway times out, and the same form continues later', async () => {
  expect(TOTAL_BUDGET_MS).toBeLessThan(GATEWAY_TIMEOUT_MS)
  fixture.network.answer(() => 'hang')
  const paid = await payAt(fixture)
  await itWaits(paid)
  fixture.network.restore()
  // The earlier form, sent again, carries the same attempt.
  const attemptId = fixture.view(paid.id).attempts[0]?.id ?? ''
  const { csrf } = await paid.shopper.open(paid.path)
  const again = await paid.shopper.post(`${paid.path}/pay`, payFields({ csrf, attemptId, html: '', status: 200 }))
  expect(again.headers.get('location')).toBe(`${paid.path}/bank`)
  expect(fixture.view(paid.id).attempts).toHaveLength(1)
})

/** Runs `work` against a network that writes raw bytes. */
async function withRawNetwork(onRequest: (socket: Socket) => void, work: (where: Fixture) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => onRequest(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const where = await startFixture({ networkUrl: `http://127.0.0.1:${port}` })
  try {
    await work(where)
  } finally {
    await where.stop()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}
const json = (fields: object): string =>
  JSON.stringify({ reference: 'R-1', status: 'pending', redirect_url: BANK_PAGE, reason: null, ...fields })
const http = (body: string, length = body.length): string =>
  `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`

test('two answers to one request: the first one counts', async () => {
  const other = http(json({ redirect_url: 'http://other.example/' }))
  await withRawNetwork(
    (socket) => socket.end(http(json({})) + other),
    async (where) => {
      const { path, shopper, response } = await payAt(where)
      expect(response.headers.get('location')).toBe(`${path}/bank`)
      expect(await (await shopper.get(`${path}/bank`)).text()).not.toContain('other.example')
    },
  )
})

test.each<[string, (socket: Socket) => void]>([
  ['one answer twice in one body', (socket) => socket.end(http(json({}) + json({ redirect_url: 'http://other.example/' })))],
  ['half an answer', (socket) => socket.end(http(json({}).slice(0, 20), 200))],
  ['something other than HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
  ['an answer without an end', (socket) => drip(socket)],
  ['an answer that is too large', (socket) => socket.end(http(`{"x":"${'x'.repeat(100_000)}"}`))],
])('%s: the answer is not trusted, and the page waits', async (_name, onRequest) => {
  await withRawNetwork(onRequest, async (where) => {
    await itWaits(await payAt(where), where)
  })
})

test('connection refused: the page waits', async () => {
  const where = await startFixture({ networkUrl: 'http://127.0.0.1:1' })
  try {
    await itWaits(await payAt(where), where)
  } finally {
    await where.stop()
  }
})

test('a hanging bank does not delay another shopper', async () => {
  fixture.network.answer(({ body }) => (JSON.stringify(body).includes('netbanking') ? 'hang' : started({})))
  const { path } = fixture.payment()
  const shopper = newShopper(fixture)
  const hanging = shopper.post(`${path}/pay`, payFields(await shopper.open(path), BANK))
  expect((await payAt(fixture)).response.headers.get('location')).toMatch(/\/bank$/u)
  fixture.network.restore()
  expect((await hanging).status).toBe(303)
})

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n')
  const timer = setInterval(() => socket.write(' '), 200)
  socket.once('close', () => clearInterval(timer))
}
