/** A merchant that reads its answers slowly or not at all, beside another merchant. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { eventually } from '@gateway/testkit'
import { merchantToken } from '@gateway-services/auth-token/testing'
import { bearer, refusalOf, startGatewayWithToken, type GatewayWithToken } from './running-gateway.ts'

/** More than the upstream has connections. */
const SLOW_READERS = 152
const LIST = '/api/v1/webhooks/deliveries?limit=100'
/** More than the buffers of the operating system take, so that a stream of it stands still. */
const PAGE = Buffer.alloc(1024 * 1024, 'x')

let running: GatewayWithToken
let other: Record<string, string>
const sockets: Socket[] = []

beforeAll(async () => {
  // A proxy's address has no limit of unread bytes.
  running = await startGatewayWithToken({ config: { trustedProxies: ['loopback'] } })
  other = bearer(await merchantToken(await running.auth.newMerchant()))
})
beforeEach(() => running.service.reset())
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()))
afterAll(() => running.stop())

/** Sends requests on a connection that reads nothing. */
async function askWithoutReading(requests: string): Promise<void> {
  const { hostname, port } = new URL(running.gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(requests)
}

const asked = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${running.authorized['authorization']}\r\n\r\n`
const list = (headers: Record<string, string>) => fetch(running.gateway.url + LIST, { headers })

// Proves: api/slow-readers-hold-no-connection
test.each([
  ['alone', 1],
  ['pipelined', 4],
])('answers that nobody reads, %s, hold no connection of the upstream', async (_how, pipelined) => {
  let answered = 0
  running.service.answer = (_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': PAGE.length })
      .end(PAGE, () => (answered += 1))
  }
  for (let sent = pipelined; sent <= SLOW_READERS; sent += pipelined) {
    await askWithoutReading(asked(LIST).repeat(pipelined))
    await eventually(() => expect(answered).toBe(sent))
  }
  expect((await list(other)).status).toBe(200)
})

// Proves: api/connections-per-merchant
test('slow answers for one merchant leave the connections of the upstream to the others', async () => {
  const held: ServerResponse[] = []
  running.service.answer = ({ path }, response) => {
    if (path === LIST) held.push(response)
    else response.end('{}')
  }
  const slow = Array.from({ length: 115 }, () => list(running.authorized))
  const refused = await Promise.race(slow)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refusalOf(refused)).toEqual({ status: 429, code: 'rate_limited' })
  expect(held).toHaveLength(2)
  const response = await fetch(`${running.gateway.url}/api/v1/webhooks/endpoint`, { headers: other })
  expect(response.status).toBe(200)

  running.service.answer = (_request, answer) => void answer.end('{}')
  for (const answer of held) answer.end('{}')
  const statuses = (await Promise.all(slow)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(114)
})

// Proves: api/recover-is-paced-per-merchant
test('a second recovery of a merchant at once is refused before the service; another merchant has one of its own', async () => {
  const recover = (headers: Record<string, string>) =>
    fetch(`${running.gateway.url}/api/v1/webhooks/deliveries/recover`, { method: 'POST', headers })
  const held: ServerResponse[] = []
  running.service.answer = (_request, response) => void held.push(response)
  const [first, others] = [recover(running.authorized), recover(other)]
  await eventually(() => expect(held).toHaveLength(2))
  expect(await refusalOf(await recover(running.authorized))).toEqual({ status: 429, code: 'rate_limited' })
  expect(held).toHaveLength(2)
  for (const response of held) response.writeHead(202).end()
  expect([(await first).status, (await others).status]).toEqual([202, 202])
})
