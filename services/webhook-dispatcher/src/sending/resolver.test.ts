import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createResolver } from './resolver.ts'

const [TYPE_A, TYPE_AAAA] = [1, 28]

/** A DNS server: `hung-…` gets no answer, `missing` does not exist, `v4` has no AAAA answer, all others have one address each. */
let server: Socket
let queries: string[] = []
beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const answer = answerTo(query)
    if (answer) server.send(answer, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())
beforeEach(() => void (queries = []))

function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const [name, type] = [labels.join('.').toLowerCase(), query.readUInt16BE(at + 1)]
  queries.push(`${name} ${type}`)
  if (name.startsWith('hung-') || (name === 'v4.example' && type === TYPE_AAAA)) return undefined
  const question = query.subarray(12, at + 5)
  const missing = name === 'missing.example'
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // A response, recursion available; 3 is "no such name".
  header.writeUInt16BE(missing ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  if (missing) return Buffer.concat([header, question])
  header.writeUInt16BE(1, 6)
  const data = type === TYPE_A ? Buffer.from([192, 0, 2, 1]) : Buffer.from('20010db8000000000000000000000001', 'hex')
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([header, question, record, data])
}

/** Resolves with this server and a clock that the test moves. `localhost` is an allowed host. */
function begin() {
  const clock = { ms: 1 }
  const servers = [`127.0.0.1:${server.address().port}`]
  return { clock, resolve: createResolver({ servers, allowedHosts: new Set(['localhost']), nowMs: () => clock.ms }) }
}

// Proves: webhooks/slow-names-stall-nobody
test('a hundred names whose servers do not answer hold up no other name, and end with an error', async () => {
  const { resolve } = begin()
  const settled: string[] = []
  const hung = Array.from({ length: 100 }, (_, index) => `hung-${index}.example`).map((name) =>
    resolve(name).then(
      () => settled.push('resolved'),
      (error: unknown) => settled.push(error instanceof Error && 'code' in error ? String(error.code) : 'error'),
    ),
  )
  expect(await resolve('shop.example')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  expect(settled).toEqual([])
  await Promise.all(hung)
  expect(new Set(settled)).toEqual(new Set(['EAI_AGAIN']))
})

// Proves: webhooks/slow-names-stall-nobody
test('one family of addresses does not wait for a server that answers only the other', async () => {
  const { resolve } = begin()
  expect(await resolve('v4.example')).toEqual([{ address: '192.0.2.1', family: 4 }])
})

// Proves: webhooks/slow-names-stall-nobody
test('callers of one name share a lookup, whose answer is kept for five seconds', async () => {
  const { resolve, clock } = begin()
  await Promise.all([resolve('shop.example'), resolve('SHOP.example.')])
  clock.ms += 5000
  await resolve('shop.example')
  expect(queries.toSorted()).toEqual([`shop.example ${TYPE_A}`, `shop.example ${TYPE_AAAA}`])
  clock.ms += 1
  await resolve('shop.example')
  expect(queries).toHaveLength(4)
})

test('a name that does not exist is told apart, and is asked for again after a second', async () => {
  const { resolve, clock } = begin()
  await expect(resolve('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  const asked = queries.length
  await expect(resolve('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(queries).toHaveLength(asked)
  clock.ms += 1001
  await expect(resolve('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(queries.length).toBeGreaterThan(asked)
})

test('an allowed host is looked up as this machine does, in its hosts file; an address is itself', async () => {
  const { resolve } = begin()
  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
  expect(await resolve('::1')).toEqual([{ address: '::1', family: 6 }])
  expect(queries).toEqual([])
})
