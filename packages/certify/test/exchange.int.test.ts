/** One exchange with a receiver that answers in an unusual way: it always ends. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { exchange, type Exchanged } from '../src/exchange.ts'

const TIMEOUT_MS = 500
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'

/** What `exchange` returns for a server that does this after the first bytes of the request; `undefined`: nothing after three seconds. */
async function exchanged(answer: (socket: Socket) => void, signal?: AbortSignal): Promise<Exchanged | undefined> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/hook`)
  let timer: NodeJS.Timeout | undefined
  const never = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), TIMEOUT_MS + 2500)))
  try {
    const sent = { method: 'POST', headers: {}, body: '{}' }
    return await Promise.race([exchange(url, sent, TIMEOUT_MS, signal), never])
  } finally {
    clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

const whole = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

// Proves: certify/exchanges-end
describe('an exchange ends', () => {
  test('with the status 101 when the receiver switches protocols', async () => {
    expect(await exchanged((socket) => socket.write(UPGRADE))).toMatchObject({ status: 101, error: null, body: '' })
    const plain = 'HTTP/1.1 101 X\r\n\r\n'
    expect(await exchanged((socket) => socket.write(plain))).toMatchObject({ status: 101, error: null, body: '' })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['nothing is answered', () => undefined],
    ['only interim answers come', (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
    ['the body stops', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
  ])('after the timeout when %s', async (_what, answer) => {
    expect(await exchanged(answer)).toMatchObject({ status: null, error: 'none within 0.5 s', body: '' })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['before an answer', (socket) => socket.destroy()],
    ['within an answer', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
    ['after an answer that is not HTTP', (socket) => socket.end('hello\r\n\r\n')],
  ])('without a status when the connection closes %s', async (_what, answer) => {
    expect(await exchanged(answer)).toMatchObject({ status: null, error: expect.stringMatching(/./u), body: '' })
  })

  test('with the answer, whether its end is a length or the end of the connection', async () => {
    expect(await exchanged((socket) => socket.write(whole('done')))).toMatchObject({ status: 200, error: null, body: 'done' })
    const closing = (socket: Socket): unknown => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndone')
    expect(await exchanged(closing)).toMatchObject({ status: 200, error: null, body: 'done' })
  })

  test('with the reason of the signal when it is aborted', async () => {
    const ending = new AbortController()
    const reason = new Error('the run has ended')
    await expect(exchanged(() => ending.abort(reason), ending.signal)).rejects.toBe(reason)
    await expect(exchanged((socket) => socket.write(whole('done')), ending.signal)).rejects.toBe(reason)
  })
})

// Proves: certify/transcripts-are-redacted
test('a body above 64 KiB is not shown, because a cut text cannot be searched for personal data', async () => {
  const body = JSON.stringify({ customer: { name: 'Asha Rao' }, junk: 'x'.repeat(70_000) })
  expect(await exchanged((socket) => socket.write(whole(body)))).toMatchObject({
    status: 200,
    body: '[not shown: longer than 65536 characters]',
  })
  const limit = 'x'.repeat(64 * 1024)
  expect(await exchanged((socket) => socket.write(whole(limit)))).toMatchObject({ body: limit })
})
