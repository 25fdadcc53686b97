import { connect } from 'node:net'
import { listen, type RunningServer } from './listen.ts'

let server: RunningServer
beforeAll(async () => {
  server = await listen((_request, response) => response.end('fine'), { port: 0, host: '127.0.0.1' })
})
afterAll(() => server.stop(1000))

/** Sends bytes as they are and reads until the server closes the connection. */
function exchange(bytes: string): Promise<{ head: string; body: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = 'null'] = answer.split('\r\n\r\n')
      resolve({ head, body: JSON.parse(body) })
    })
  })
}

test.each([
  ['what is not HTTP', 'HELLO\r\n\r\n', 400, 'malformed_request'],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400, 'malformed_request'],
  ['headers without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  [
    'an unknown expectation',
    'POST / HTTP/1.1\r\nhost: a\r\nexpect: cake\r\ncontent-length: 0\r\n\r\n',
    417,
    'expectation_failed',
  ],
])('%s gets a problem with a request id', async (_name, bytes, status, code) => {
  const { head, body } = await exchange(bytes)
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'))
  expect(head).toMatch(/\r\ncontent-type: application\/problem\+json/u)
  expect(body).toMatchObject({ status, code, request_id: /\r\nx-request-id: (\S+)/u.exec(head)?.[1] })
})

test('an ordinary request is answered as ever', async () => {
  const response = await fetch(`http://127.0.0.1:${server.port}/`)
  expect([response.status, await response.text()]).toEqual([200, 'fine'])
})
