/** Clients that ask for more than they read. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { eventually } from '@gateway/testkit'
import { ANSWER_LIMITS, type AnswerLimits } from './connections.ts'
import { listen, type RunningServer } from './listen.ts'

const sockets: Socket[] = []
const servers: RunningServer[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.stop(1000)
})

async function start(app: RequestListener, limits: Partial<AnswerLimits> = {}): Promise<RunningServer> {
  const connectionLimit = { max: Infinity, clientOf: () => 'one client' }
  const answerLimits = { ...ANSWER_LIMITS, ...limits }
  const server = await listen(app, { port: 0, host: '127.0.0.1', connectionLimit, answerLimits })
  servers.push(server)
  return server
}

/** A connection that reads nothing before `read` is called. */
async function open({ port }: RunningServer) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const received = { text: '', closed: false }
  socket.on('error', () => undefined).on('close', () => (received.closed = true))
  await once(socket, 'connect')
  const read = () => socket.on('data', (chunk: Buffer) => (received.text += chunk.toString('latin1')))
  return { socket, received, read }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
function* pieces(): Generator<Buffer> {
  for (let start = 0; start < LARGE.length; start += PIECE) yield LARGE.subarray(start, start + PIECE)
}

/** More than the buffers of the operating system take. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x')
const PIECE = 64 * 1024

// Proves: api/pipelined-requests-are-bounded
test.each([
  ['requests without a body', 1680, (index: number) => get(`/${index}`)],
  ['small forms', 400, (index: number) => `POST /${index} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}`],
  [
    'a continued form',
    400,
    (index: number) => `POST /${index} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
  ],
])('%s beyond a few on one connection are not handled, and the connection is closed', async (_what, count, text) => {
  const handled: string[] = []
  let parsed = 0
  const note = (): void => void (parsed += 1)
  subscribe('http.server.request.start', note)
  const server = await start((request) => void handled.push(request.url ?? ''))
  const { socket, received, read } = await open(server)
  read()
  socket.write(Array.from({ length: count }, (_, index) => text(index)).join(''))
  await eventually(() => expect(received.closed).toBe(true))
  expect(handled).toEqual(Array.from({ length: ANSWER_LIMITS.maxUnanswered }, (_, index) => `/${index}`))
  unsubscribe('http.server.request.start', note)
  expect(parsed).toBe(handled.length + 1)
})

// Proves: api/pipelined-requests-are-bounded
test('a few pipelined requests are answered in their order, however many come after one another', async () => {
  const server = await start((request, response) => response.end(`<${request.url}>`))
  const { socket, received, read } = await open(server)
  read()
  for (const round of [0, 1, 2, 3]) {
    const paths = Array.from({ length: ANSWER_LIMITS.maxUnanswered }, (_, index) => `/${round}-${index}`)
    socket.write(paths.map(get).join(''))
    await eventually(() =>
      expect(received.text.match(new RegExp(`</${round}-\\d>`, 'gu'))).toEqual(paths.map((path) => `<${path}>`)),
    )
  }
})

// Proves: api/unread-answers-end
test('an answer that its client does not take ends; that of a slow reader and an idle stream go on', async () => {
  const closed: string[] = []
  const server = await start(
    ({ url = '' }, response) => {
      response.once('close', () => closed.push(url))
      if (url === '/stream') response.write('event')
      else if (url === '/whole') response.end(LARGE)
      else pipeline(pieces(), response).catch(() => undefined)
    },
    { stalledAfterMs: 3000, maxUnsentBytes: { client: Infinity, all: Infinity } },
  )
  const [stream, slow, whole, stalled] = [await open(server), await open(server), await open(server), await open(server)]
  stream.read()
  stream.socket.write(get('/stream'))
  slow.socket.write(get('/slow'))
  whole.socket.write(get('/whole'))
  stalled.socket.write(get('/stalled'))
  // One piece of the answer now and then is enough.
  const reading = setInterval(() => {
    for (const { socket } of [slow, whole]) socket.read()
  }, 20)
  await eventually(() => expect(closed).toEqual(['/stalled']))
  clearInterval(reading)
  expect(stream.received).toMatchObject({ text: expect.stringContaining('event') as string, closed: false })
})

// Proves: api/unread-answers-are-bounded
test('while too many bytes wait for a client, the largest answers that it does not take end at once', async () => {
  const closed: string[] = []
  const server = await start(
    ({ url = '' }, response) => {
      response.once('close', () => closed.push(url))
      response.end(url === '/large' ? LARGE : LARGE.subarray(0, LARGE.length / 2))
    },
    { stalledAfterMs: Infinity, maxUnsentBytes: { client: LARGE.length, all: Infinity } },
  )
  for (const path of ['/half', '/large']) (await open(server)).socket.write(get(path))
  await eventually(() => expect(closed).toEqual(['/large']))
})

// Proves: api/unread-answers-end
test('a pipelined answer that waits for an earlier one ends with its connection', async () => {
  const source = new Readable({ read: () => undefined })
  const server = await start(({ url }, response) => {
    if (url === '/stream') pipeline(source, response).catch(() => undefined)
  })
  const { socket } = await open(server)
  socket.write(get('/never') + get('/stream'))
  await eventually(() => expect(source.listenerCount('data')).toBe(1))
  socket.destroy()
  await eventually(() => expect(source.destroyed).toBe(true))
})
