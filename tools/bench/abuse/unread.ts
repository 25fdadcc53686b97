import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectApi, makeToken } from '@gateway/testkit/merchants'
import { residentMb } from '@gateway-infra/system/processes'
import { withCollection } from '../payments/stack.ts'
import { ATTACKER, type AbuseWorld } from './world.ts'

const LIST = '/api/v1/webhooks/deliveries?limit=100'
const PATHS = ['/openapi.json', '/docs', '/postman.json', '/nothing', LIST]
const [FLOODERS, ROUNDS, ROUND_MS, SAMPLE_EVERY_MS] = [20, 3, 500, 50]
/** How much Node reads from a connection at once. */
const READ_BYTES = 64 * 1024

/** MiB by which the gateway's resident memory grows while connections send 64 KiB of pipelined requests and read nothing. */
export async function pipelinedFloods(world: AbuseWorld): Promise<number> {
  const pid = world.stack.services['api-gateway']?.pid ?? NaN
  const before = residentMb(pid)
  let highest = before
  const sampler = setInterval(() => (highest = Math.max(highest, residentMb(pid))), SAMPLE_EVERY_MS)
  const request = await requests(world)
  for (const text of PATHS.map(request).flatMap((one) => Array.from({ length: ROUNDS }, () => one))) {
    const sockets = await openUnread(world, FLOODERS, text.repeat(READ_BYTES / text.length))
    await sleep(ROUND_MS)
    for (const socket of sockets) socket.destroy()
  }
  clearInterval(sampler)
  return highest - before
}

const [READERS, ASKED_BY_OTHERS] = [200, 100]

/** Calls of another merchant that are not answered 200 while 200 connections ask for each of the paths and read nothing. */
export async function slowReaders(world: AbuseWorld): Promise<number> {
  await makeLongList(world)
  const request = await requests(world)
  const readers = await Promise.all(PATHS.map((path) => openUnread(world, READERS, request(path).repeat(2))))
  const other = connectApi(world.stack.base_url, { connections: 4 })
  const authorization = `Bearer ${await makeToken(world.merchants.at(-1) ?? world.known.merchant)}`
  let refused = 0
  for (let call = 0; call < ASKED_BY_OTHERS; call++)
    for (const path of [LIST, '/api/v1/webhooks/endpoint', '/api/v1/orders'])
      if ((await other.call('GET', path, undefined, { authorization })).status !== 200) refused += 1
  for (const socket of readers.flat()) socket.destroy()
  await other.close()
  return refused
}

/** Gives the attacker's merchant as many deliveries as a page has, with as many attempts as a record keeps. */
async function makeLongList(world: AbuseWorld): Promise<void> {
  await withCollection(world, ['webhook_dispatcher', 'deliveries'], async (deliveries) => {
    const attempt = { number: 1, at: new Date(), duration_ms: 1, status_code: 500, response_excerpt: 'x'.repeat(1024) }
    const long = { merchant_id: world.known.merchant.merchant_id, attempts: Array.from({ length: 50 }, () => attempt) }
    const some = await deliveries.findOne()
    const made = Array.from({ length: 100 }, (_, index) => Object.assign({}, some, long, { _id: `long.${index}` }))
    await deliveries.insertMany(made)
  })
}

/** Makes the text of a request by the attacker's merchant. */
async function requests({ stack, known }: AbuseWorld): Promise<(path: string) => string> {
  const token = await makeToken(known.merchant)
  return (path) => `GET ${path} HTTP/1.1\r\nhost: ${new URL(stack.base_url).host}\r\nauthorization: Bearer ${token}\r\n\r\n`
}

/** Connections from the attacker's address that have sent `text` and read nothing. */
function openUnread({ stack }: AbuseWorld, count: number, text: string): Promise<Socket[]> {
  const { hostname, port } = new URL(stack.base_url)
  return Promise.all(
    Array.from({ length: count }, async () => {
      // The gateway may close it.
      const socket = connect({ host: hostname, port: Number(port), ...ATTACKER }).on('error', () => undefined)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      socket.write(text)
      return socket
    }),
  )
}
