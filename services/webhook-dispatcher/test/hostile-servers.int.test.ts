import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { createCa, eventually, issueServerCertificate } from '@gateway/testkit'
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from '../src/sending/webhook-client.ts'

/** The deadline covers the whole exchange, in whichever stage the server stops. A test that hangs has failed. */
const TIMEOUT_MS = 700
const ca = await createCa()
const certificate = await issueServerCertificate({ ca, hosts: ['localhost'] })
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function aClient(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  const client = createWebhookClient({
    timeoutMs: TIMEOUT_MS,
    rules: { allowedHosts: new Set(['localhost']), ports: new Set([443]) },
    extraCa: [ca.cert],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    now: () => new Date(),
    ...options,
  })
  open.push(() => client.close())
  return client
}
const send = (client: WebhookClient, port: number) =>
  client.send({ url: `https://localhost:${port}/`, headers: { 'content-type': 'application/json' }, body: '{}' })

/** A server's port, and its connections that are open. */
async function listening(server: Server, sockets: Set<Socket>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

const keep = (sockets: Set<Socket>, socket: Socket): void => {
  sockets.add(socket)
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
}

/** A server without TLS that does this with the bare connection. */
function plain(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    keep(sockets, socket)
    onConnection(socket.resume())
  })
  return listening(server, sockets)
}

/** A TLS server that does this once the request begins to arrive. */
function secure(onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTlsServer(certificate, (socket) => {
    keep(sockets, socket)
    socket.once('data', () => onRequest(socket))
  })
  return listening(server, sockets)
}

/** Writes a little every 20 ms, for as long as the other side stays. */
function drip(socket: Socket, piece: string | Buffer, first: string | Buffer = ''): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on('close', () => clearInterval(timer))
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

// Proves: webhooks/exchange-takes-10-s-at-most
test.each([
  ['says nothing instead of TLS', () => plain(() => undefined), null],
  ['drips a TLS record', () => plain((socket) => drip(socket, Buffer.from([2]), Buffer.from([0x16, 3, 3, 0x40, 0]))), null],
  ['takes the request and says nothing', () => secure(() => undefined), null],
  ['drips its status line', () => secure((socket) => drip(socket, 'K', 'HTTP/1.1 200 O')), null],
  ['drips a header', () => secure((socket) => drip(socket, 'a', `${OK}x-slow: `)), null],
  ['sends one interim answer after another', () => secure((socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')), null],
  ['sends headers and no body', () => secure((socket) => socket.write(`${OK}content-length: 5\r\n\r\n`)), 200],
  ['drips its body', () => secure((socket) => drip(socket, '1\r\nx\r\n', CHUNKED)), 200],
  ['drips a chunk’s size', () => secure((socket) => drip(socket, '0', CHUNKED)), 200],
] as const)('a server that %s: the time is over, and the connection is closed', async (_what, start, statusCode) => {
  const { port, sockets } = await start()
  expect(await send(aClient(), port)).toMatchObject({ status_code: statusCode, error: 'timeout' })
  await eventually(() => expect(sockets.size).toBe(0))
})

// Proves: webhooks/interim-answers-are-skipped
test.each([
  ['100 Continue'],
  ['102 Processing'],
  ['103 Early Hints\r\nlink: </style.css>; rel=preload'],
  ['100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints'],
])('a server that sends %j before its 200 has acknowledged', async (interim) => {
  let requests = 0
  const server = createServer(certificate, (request, response) => {
    requests += 1
    request.resume()
    // In one packet with the final answer, and in one before it.
    if (requests % 2 === 1) response.socket?.cork()
    response.socket?.write(`HTTP/1.1 ${interim}\r\n\r\n`)
    response.end('ok')
    response.socket?.uncork()
  })
  const { port } = await listening(server, new Set())
  const client = aClient({ timeoutMs: 20_000 })
  for (let n = 0; n < 3; n++) {
    expect(await send(client, port)).toMatchObject({ status_code: 200, error: null, response_excerpt: 'ok' })
  }
  expect(requests).toBe(3)
})

test.each([
  ['resets each connection', () => plain((socket) => socket.resetAndDestroy()), null],
  ['closes each connection', () => plain((socket) => socket.end()), null],
  ['resets after the request', () => secure((socket) => socket.destroy()), null],
  ['resets in the middle of its headers', () => secure((socket) => socket.write(`${OK}x: `, () => socket.destroy())), null],
  [
    'resets in the middle of its body',
    () => secure((socket) => socket.write(`${OK}content-length: 5\r\n\r\nab`, () => socket.destroy())),
    200,
  ],
] as const)('a server that %s: the connection is closed, which is no acknowledgement', async (_what, start, statusCode) => {
  const { port } = await start()
  const client = aClient({ timeoutMs: 20_000 })
  const result = await send(client, port)
  expect(result).toMatchObject({
    status_code: statusCode,
    error: expect.stringMatching(/^(?:connection_closed|response_invalid)$/u),
  })
})

test('a server that answers no valid HTTP: the answer is invalid', async () => {
  const { port } = await secure((socket) => drip(socket, 'H'))
  expect(await send(aClient({ timeoutMs: 20_000 }), port)).toMatchObject({ status_code: null, error: 'response_invalid' })
})

// Proves: webhooks/exchange-takes-10-s-at-most
test('a name lookup that never ends: timeout', async () => {
  const client = aClient({ resolve: () => new Promise(() => undefined) })
  expect(await send(client, 443)).toMatchObject({ status_code: null, error: 'timeout' })
})

/** A server whose kernel queue of connections is full: a new connection is neither accepted nor refused. */
async function withFullQueue(): Promise<number> {
  const script = `const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  open.push(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString().trim())
  child.kill('SIGSTOP')
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1')
    open.push(() => socket.destroy())
    socket.on('error', () => undefined)
    const waits = await Promise.race([
      once(socket, 'connect').then(() => false),
      new Promise((resolve) => setTimeout(resolve, 200, true)),
    ])
    expect(waits).toBe(true)
  })
  return port
}

// Proves: webhooks/exchange-takes-10-s-at-most
test('a server that never accepts the connection: timeout', async () => {
  expect(await send(aClient(), await withFullQueue())).toMatchObject({ status_code: null, error: 'timeout' })
})

test('after all of that the same client still sends to other servers', async () => {
  const hanging = await secure(() => undefined)
  const working = await secure((socket) => socket.end(`${OK}content-length: 0\r\n\r\n`))
  const client = aClient()
  const results = await Promise.all([send(client, hanging.port), send(client, working.port), send(client, hanging.port)])
  expect(results.map(({ status_code, error }) => error ?? status_code)).toEqual(['timeout', 200, 'timeout'])
  expect(await send(client, working.port)).toMatchObject({ status_code: 200, error: null })
})
