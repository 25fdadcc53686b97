import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createCa, issueServerCertificate } from '@gateway/testkit/certificates'
import { CliError } from '../exit.ts'
import { forward, isLoopback, receiverAddress } from './forward.ts'

const copy = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"txnid":"T1"}' }

// Proves: cli/forward-to-is-read-as-meant
test.each([
  ['3000', 'http://localhost:3000/'],
  [':3000', 'http://localhost:3000/'],
  ['3000/hook', 'http://localhost:3000/hook'],
  ['localhost:3000/hook', 'http://localhost:3000/hook'],
  ['0.0.0.0:3000', 'http://127.0.0.1:3000/'],
  ['http://0.0.0.0:3000/hook', 'http://127.0.0.1:3000/hook'],
  ['[::]:3000', 'http://[::1]:3000/'],
  ['HTTP://localhost:3000', 'http://localhost:3000/'],
  ['HTTPS://LOCALHOST:3443/Hook', 'https://localhost:3443/Hook'],
  ['127.1:3000', 'http://127.0.0.1:3000/'],
  ['[::ffff:127.0.0.1]:3000', 'http://[::ffff:7f00:1]:3000/'],
])('--forward-to %s is %s', (text, address) => {
  expect(receiverAddress('--forward-to', text, false).href).toBe(address)
})

// Proves: cli/forward-to-is-read-as-meant
test.each([
  ['70000', /not an address: 70000/u],
  ['', /not an address/u],
  ['ftp://localhost:21', /http and https only/u],
  ['http://user:pass@localhost:3000', /takes no user name/u],
  ['merchant.example', /another machine/u],
  ['http://10.0.0.5:3000', /another machine/u],
  ['localhost.example:3000', /another machine/u],
  ['0.0.11.184', /another machine/u],
])('--forward-to %p is refused', (text, message) => {
  expect(() => receiverAddress('--forward-to', text, false)).toThrow(CliError)
  expect(() => receiverAddress('--forward-to', text, false)).toThrow(message)
})

test('loopback has several names', () => {
  for (const name of ['localhost', '::1', '[::1]', '127.0.0.1', '127.255.0.9', '[::ffff:7f00:1]'])
    expect(isLoopback(name)).toBe(true)
  for (const name of ['localhost.example', '128.0.0.1', '[::2]', '[::ffff:a00:1]', '0.0.0.0'])
    expect(isLoopback(name)).toBe(false)
})

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** What a copy becomes at a receiver that writes this after the first bytes. */
async function forwardedTo(write: (socket: Socket) => void) {
  const server = createServer((socket) => socket.once('data', () => write(socket)).on('error', () => undefined))
  try {
    return await forward(copy, { url: new URL(`http://127.0.0.1:${await portOf(server)}/hook`), anyCertificate: false })
  } finally {
    server.close()
  }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

// Proves: cli/listen-passes-over-interim-answers
test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'],
  ['102 Processing, twice', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(2)],
])('%s before 200 is 200', async (_name, interim) => {
  expect(await forwardedTo((socket) => socket.write(interim + OK))).toMatchObject({ status_code: 200, error: null })
  const late = await forwardedTo((socket) => socket.write(interim, () => setImmediate(() => socket.write(OK))))
  expect(late).toMatchObject({ status_code: 200, error: null })
})

// Proves: cli/listen-explains-failed-connections
test('a receiver that is away, closes, or is no HTTP server is explained', async () => {
  const nobody = createServer()
  const port = await portOf(nobody)
  nobody.close()
  await once(nobody, 'close')
  const away = await forward(copy, { url: new URL(`http://127.0.0.1:${port}/`), anyCertificate: false })
  expect(away).toMatchObject({ status_code: null, error: 'nothing listens there (ECONNREFUSED)' })
  const closed = await forwardedTo((socket) => socket.destroy())
  expect(closed.error).toBe('the connection was closed before the whole answer (ECONNRESET)')
  expect((await forwardedTo((socket) => socket.end('SSH-2.0-x\r\n'))).error).toMatch(/its answer is not HTTP/u)
})

// Proves: cli/listen-explains-failed-connections
test('a self-signed receiver is explained, and --allow-self-signed accepts it', async () => {
  const ca = await createCa()
  const { key, cert } = await issueServerCertificate({ ca, hosts: ['localhost'] })
  const server = createHttps({ key, cert }, (_request, response) => response.end())
  const url = new URL(`https://127.0.0.1:${await portOf(server)}/hook`)
  try {
    const refused = await forward(copy, { url, anyCertificate: false })
    expect(refused.error).toMatch(/certificate.*; --allow-self-signed accepts any certificate$/u)
    expect(await forward(copy, { url, anyCertificate: true })).toMatchObject({ status_code: 200, error: null })
    const plain = await forward(copy, { url: new URL(url.href.replace('https:', 'http:')), anyCertificate: false })
    expect(plain).toMatchObject({ status_code: null })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
