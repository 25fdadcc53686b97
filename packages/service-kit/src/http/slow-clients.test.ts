import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { eventually } from '@gateway/testkit'
import { listen, type ListenOptions, type RunningServer } from './listen.ts'

const sockets: Socket[] = []
const servers: RunningServer[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.stop(1000)
})

async function start(options: Partial<ListenOptions>): Promise<RunningServer> {
  const server = await listen((_request, response) => void response.end('ok'), { port: 0, host: '127.0.0.1', ...options })
  servers.push(server)
  return server
}

/** A connection, and everything that the server sends on it. */
async function open({ port }: RunningServer) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const received = { text: '', closed: false }
  socket.on('data', (chunk: Buffer) => (received.text += chunk.toString()))
  socket.on('close', () => (received.closed = true))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, received }
}

// Proves: api/slow-clients-are-bounded
test.each([
  ['its headers', { headersTimeoutMs: 100, requestTimeoutMs: 60_000 }, 'GET / HTTP/1.1\r\nhost: x\r\n'],
  ['a body', { headersTimeoutMs: 100, requestTimeoutMs: 200 }, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n'],
])('a client that does not finish %s gets 408 and loses its connection', async (_what, limits, text) => {
  const { socket, received } = await open(await start(limits))
  socket.write(text)
  await eventually(() => expect(received).toMatchObject({ closed: true }))
  expect(received.text).toMatch(/^HTTP\/1\.1 408 /u)
  expect(received.text).toContain('"code":"request_timeout"')
})

// Proves: api/connections-per-address
test('a client has a bounded number of connections; one that closes makes room, and some addresses have no limit', async () => {
  const limited = await start({ connectionLimit: { max: 2, clientOf: (address) => address } })
  const [first, second] = [await open(limited), await open(limited)]
  const third = await open(limited)
  await eventually(() => expect(third.received.closed).toBe(true))
  expect([first.received.closed, second.received.closed]).toEqual([false, false])
  first.socket.destroy()
  await eventually(async () => {
    const { socket, received } = await open(limited)
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await eventually(() => expect(received.text + String(received.closed)).toMatch(/ok|true/u))
    expect(received.text).toMatch(/^HTTP\/1\.1 200 /u)
  })

  const free = await start({ connectionLimit: { max: 1, clientOf: () => undefined } })
  const many = [await open(free), await open(free), await open(free)]
  for (const { socket } of many) socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await eventually(() => expect(many.every(({ received }) => received.text.includes('ok'))).toBe(true))
})
