import { mongo } from 'mongoose'
import { createVirtualWorld } from '../../test/virtual-world.ts'
import type { Entry } from '../branch.ts'
import { ReplicaSet } from '../replica-set.ts'
import type { ReplicaSetOptions } from '../replica-set.ts'
import type { Doc } from '../documents.ts'
import { commandClient } from './command-client.ts'

const HOSTS = ['m0:1', 'm1:1', 'm2:1']
const MAJORITY = { writeConcern: { w: 'majority', j: true } }
const insert = (id: string, more: Doc = MAJORITY): Doc => ({ insert: 'c', documents: [{ _id: id }], ...more })
const find = (level: string, filter: Doc = {}): Doc => ({ find: 'c', filter, readConcern: { level } })
const session = (number: number): Doc => ({ lsid: { id: new mongo.BSON.Binary(Buffer.alloc(16, 7), 4) }, txnNumber: number })

function start(options: Partial<ReplicaSetOptions> = {}, seed = 1) {
  const world = createVirtualWorld(seed)
  const committed: Entry[] = []
  const rolledBack: Entry[] = []
  const set = new ReplicaSet(world, {
    hosts: HOSTS,
    lagMs: () => 100,
    electionMs: () => 1000,
    onCommit: (entry) => committed.push(entry),
    onRollback: (entry) => rolledBack.push(entry),
    ...options,
  })
  const to = (address: string | undefined) => commandClient(set, address ?? '')
  return {
    world,
    set,
    committed,
    rolledBack,
    to,
    ask: (command: Doc, client = to(set.primary?.address)) => world.until(client.send(command)),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'no error')

function idsIn(answer: Doc): unknown[] {
  const { cursor } = answer
  if (typeof cursor !== 'object' || cursor === null || !('firstBatch' in cursor) || !Array.isArray(cursor.firstBatch)) return []
  return cursor.firstBatch.map((doc: Doc) => doc['_id'])
}

test('a write with majority is answered when a majority has it, one with w: 1 at once', async () => {
  const { world, ask } = start()
  await world.advance(1000)
  const before = world.now()
  await ask(insert('a', { writeConcern: { w: 1 } }))
  expect(world.now() - before).toBeLessThan(20)
  await ask(insert('b'))
  expect(world.now() - before).toBeGreaterThan(100)
})

test('a slow majority holds writes back until it is done', async () => {
  const { world, set, ask } = start()
  await world.advance(1000)
  set.slowMs = 2000
  const before = world.now()
  await ask(insert('a'))
  expect(world.now() - before).toBeGreaterThan(2100)
})

test('read concern majority does not show what no majority has, local does', async () => {
  const { world, ask } = start()
  await world.advance(1000)
  await ask(insert('a', { writeConcern: { w: 1 } }))
  expect(idsIn(await ask(find('majority')))).toEqual([])
  expect(idsIn(await ask(find('local')))).toEqual(['a'])
  await world.advance(200)
  expect(idsIn(await ask(find('majority')))).toEqual(['a'])
})

test('a write that changes nothing, or fails, waits for what it has seen', async () => {
  const { world, ask, to, set } = start()
  await world.advance(1000)
  await ask(insert('a', { writeConcern: { w: 1 } }))
  const before = world.now()
  const clients = [to(set.primary?.address), to(set.primary?.address)]
  const noop = clients[0]?.send({ update: 'c', updates: [{ q: { _id: 'z' }, u: { $set: { n: 1 } } }], ...MAJORITY })
  const failing = clients[1]?.send(insert('a'))
  const [unmatched, duplicate] = await world.until(Promise.all([noop, failing]))
  expect(unmatched).toMatchObject({ n: 0, ok: 1 })
  expect(duplicate).toMatchObject({ writeErrors: [{ index: 0, code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 'a' } }] })
  expect(world.now() - before).toBeGreaterThan(80)
})

test('a duplicate key is worded as the server words it', async () => {
  const { ask } = start()
  await ask({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'by_n', unique: true }], ...MAJORITY })
  await ask({ insert: 'c', documents: [{ _id: 1, n: 'x' }], ...MAJORITY })
  const answer = await ask({ insert: 'c', documents: [{ _id: 2, n: 'x' }], ...MAJORITY })
  expect(answer).toMatchObject({
    writeErrors: [
      {
        errmsg: 'E11000 duplicate key error collection: db.c index: by_n dup key: { n: "x" }',
        keyPattern: { n: 1 },
        keyValue: { n: 'x' },
      },
    ],
  })
})

// Proves: faults/mongodb-model-rolls-back
test('a failover may lose what no majority had, and never loses what one had', async () => {
  const outcomes = new Set<string>()
  for (let seed = 1; seed <= 30; seed++) {
    const { world, set, ask, rolledBack } = start({}, seed)
    await world.advance(1000)
    await ask(insert('durable'))
    await ask(insert('maybe', { writeConcern: { w: 1 } }))
    set.failover({ stale: false })
    await world.advance(3000)
    const left = idsIn(await ask(find('majority')))
    expect(left).toContain('durable')
    expect(left.includes('maybe')).toBe(rolledBack.length === 0)
    outcomes.add(left.join())
  }
  expect([...outcomes].toSorted()).toEqual(['durable', 'durable,maybe'])
})

// Proves: faults/mongodb-model-rolls-back
test('a waiting write of a primary that steps down gets one of the three errors, each of them in some run', async () => {
  const seen = new Set<unknown>()
  for (let seed = 1; seed <= 30; seed++) {
    const { world, set, to } = start({}, seed)
    await world.advance(1000)
    const answer = to(set.primary?.address).send({ ...insert('a'), ...session(1) })
    await world.advance(20)
    set.failover({ stale: false })
    const { code, writeConcernError, errorLabels } = await world.until(
      answer.catch((error: unknown): Doc => ({ code: messageOf(error) })),
    )
    seen.add(code ?? (writeConcernError as Doc)['code'])
    if (code !== 'connection closed') expect(errorLabels).toEqual(['RetryableWriteError'])
  }
  expect([...seen].toSorted()).toEqual([11602, 189, 'connection closed'])
})

test('a stale primary serves its own branch until it steps down, and confirms nothing', async () => {
  const staleReads: string[] = []
  const { world, set, to, ask } = start({ staleMs: () => 10_000, onStaleRead: () => void staleReads.push('read') })
  await world.advance(1000)
  const old = set.primary
  const client = to(old?.address)
  await ask(insert('before'), client)
  set.failover({ stale: true })
  await world.advance(2000)
  expect(set.primary).not.toBe(old)
  const hellos = await Promise.all([old, set.primary].map((member) => ask({ hello: 1 }, to(member?.address))))
  expect(hellos.map((hello) => hello['isWritablePrimary'])).toEqual([true, true])
  const [oldId, newId] = hellos.map((hello) => String(hello['electionId']))
  expect(String(oldId) < String(newId)).toBe(true)

  await ask(insert('forked', { writeConcern: { w: 1 } }), client)
  await ask(insert('new'))
  expect(idsIn(await ask(find('local'), client))).toEqual(['before', 'forked'])
  expect(idsIn(await ask(find('majority'), client))).toEqual(['before'])
  expect(staleReads).toHaveLength(2)
  expect(idsIn(await ask(find('majority')))).toEqual(['before', 'new'])
  expect(staleReads).toHaveLength(2)
  const unconfirmed = client.send(insert('never'))
  await world.advance(12_000)
  const failed = await unconfirmed.catch((error: unknown): Doc => ({ closed: messageOf(error) }))
  expect(failed['closed'] ?? failed['code'] ?? (failed['writeConcernError'] as Doc)['code']).toBeDefined()
  expect(await ask({ hello: 1 }, to(old?.address))).toMatchObject({ isWritablePrimary: false, secondary: true })
  expect(set.dump('db', 'c').map(({ _id }) => _id)).toEqual(['before', 'new'])
})

// Proves: faults/mongodb-model-rolls-back
test('a retryable write is done once, also when its retry meets another primary and the entry survived', async () => {
  let survived = 0
  for (let seed = 1; seed <= 20; seed++) {
    const { world, set, ask, rolledBack, to } = start({}, seed)
    await world.advance(1000)
    await ask({ insert: 'c', documents: [{ _id: 'a', n: 0 }], ...MAJORITY })
    const increment = { update: 'c', updates: [{ q: { _id: 'a' }, u: { $inc: { n: 1 } } }], ...MAJORITY, ...session(1) }
    const first = to(set.primary?.address).send(increment)
    await world.advance(20)
    set.failover({ stale: false })
    await world.until(first.catch(() => undefined))
    await world.advance(2000)
    expect(await ask(increment)).toMatchObject({ n: 1, nModified: 1, ok: 1 })
    expect(await ask(increment)).toMatchObject({ n: 1, nModified: 1, ok: 1 })
    expect(set.dump('db', 'c')).toEqual([{ _id: 'a', n: 1 }])
    if (rolledBack.length === 0) survived += 1
  }
  expect(survived).toBeGreaterThan(0)
  expect(survived).toBeLessThan(20)
})

test('an older retryable write of a session is refused', async () => {
  const { ask } = start()
  await ask({ ...insert('a'), ...session(2) })
  expect(await ask({ ...insert('b'), ...session(1) })).toMatchObject({ ok: 0, code: 225 })
})

test('members that are no primary refuse, and say who is', async () => {
  const { set, ask, to } = start()
  const secondary = HOSTS.find((host) => host !== set.primary?.address)
  expect(await ask(insert('a'), to(secondary))).toMatchObject({ ok: 0, code: 10107, codeName: 'NotWritablePrimary' })
  expect(await ask(find('local'), to(secondary))).toMatchObject({ ok: 0, code: 13435 })
  expect(await ask({ hello: 1 }, to(secondary))).toMatchObject({ primary: set.primary?.address, setName: 'rs0', hosts: HOSTS })
})

// Proves: faults/mongodb-model-answers-as-a-server
test.each<[Doc]>([
  [{ find: 'c', filter: { n: { $nonsense: 1 } } }],
  [{ find: 'c', tailable: true }],
  [{ update: 'c', updates: [{ q: { _id: 'a' }, u: [{ $set: { n: 1 } }], upsert: true }] }],
  [{ update: 'c', updates: [{ q: { _id: 'a' }, u: { $nonsense: { a: 1 } }, upsert: true }] }],
  [{ update: 'c', updates: [{ q: { _id: 'a' }, u: { $set: { 'a.$.n': 1 } }, upsert: true }] }],
  [{ update: 'c', updates: [{ q: {}, u: { $set: { n: 1 } }, arrayFilters: [] }] }],
  [{ find: 'c', readConcern: { level: 'linearizable' } }],
  [{ nonsense: 1 }],
])('%j, which the model does not have, ends the run', async (command) => {
  await expect(start().ask(command)).rejects.toThrow(
    /the simulated MongoDB does not support|unknown (query|update) operator|array field for '\.\$'/iu,
  )
})

test('a killed primary resets its connections, another one is elected, and the killed one comes back', async () => {
  const { world, set, ask, to } = start()
  await world.advance(1000)
  await ask(insert('a'))
  const [old, client] = [set.primary, to(set.primary?.address)]
  const answer = client.send(insert('b'))
  await world.advance(20)
  set.killMember(HOSTS.indexOf(old?.address ?? ''))
  await expect(world.until(answer)).rejects.toThrow('connection closed')
  await expect(world.until(to(old?.address).send({ ping: 1 }))).rejects.toThrow('connection closed')
  await world.advance(2000)
  expect(set.primary).not.toBe(old)
  await ask(insert('c'))
  set.restartMember(HOSTS.indexOf(old?.address ?? ''))
  expect(await ask({ ping: 1 }, to(old?.address))).toEqual({ ok: 1 })
})

test('without a majority no write is confirmed until a member is back', async () => {
  const { world, set, ask, to } = start()
  await ask(insert('a'))
  const [one, two] = HOSTS.map((_host, index) => index).filter((index) => HOSTS[index] !== set.primary?.address)
  set.killMember(one ?? 0)
  set.killMember(two ?? 0)
  let isAnswered = false
  const answer = to(set.primary?.address).send(insert('b'))
  void answer.then(() => (isAnswered = true))
  await world.advance(5000)
  expect(isAnswered).toBe(false)
  set.restartMember(one ?? 0)
  expect(await world.until(answer)).toMatchObject({ n: 1, ok: 1 })
})

test('a standalone server commits at once, and keeps everything over a restart', async () => {
  const { world, set, ask } = start({ hosts: ['m0:1'] })
  await ask(insert('a', { writeConcern: { w: 1 } }))
  expect(set.dump('db', 'c')).toEqual([{ _id: 'a' }])
  expect(await ask({ hello: 1 })).not.toHaveProperty('setName')
  set.failover()
  await world.advance(2000)
  expect(idsIn(await ask(find('majority')))).toEqual(['a'])
})

test('a cursor has everything in its first batch', async () => {
  const { ask } = start()
  await ask({ insert: 'c', documents: ['a', 'b', 'c'].map((_id) => ({ _id })), ...MAJORITY })
  const answer = await ask({ find: 'c', filter: {}, batchSize: 2 })
  expect(idsIn(answer)).toEqual(['a', 'b', 'c'])
  expect(answer).toMatchObject({ cursor: { id: 0 } })
})

test('the same seed gives the same history', async () => {
  async function history(seed: number): Promise<string> {
    const { world, set, committed, rolledBack, to } = start({}, seed)
    for (let index = 0; index < 20; index++) {
      void to(set.primary?.address).send(insert(String(index)))
      await world.advance(30)
      if (index % 5 === 4) set.failover()
      await world.advance(500)
    }
    await world.advance(20_000)
    return JSON.stringify([committed, rolledBack])
  }
  expect(await history(3)).toBe(await history(3))
  expect(await history(3)).not.toBe(await history(4))
})
