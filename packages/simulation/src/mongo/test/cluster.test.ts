import { mongo } from 'mongoose'
import { createVirtualWorld } from '../../test/virtual-world.ts'
import { Cluster, type ClusterOptions } from '../cluster.ts'
import type { Reach } from '../divide.ts'
import type { Doc } from '../documents.ts'
import { commandClient, type CommandClient } from './command-client.ts'

const HOSTS = ['m0:1', 'm1:1', 'm2:1']
const MAJORITY = { writeConcern: { w: 'majority', j: true } }
/** Four chunks; the shards own them in turn. */
const DIVISIONS = { 'db.c': { key: ['slot', '_id'], bounds: [[256], [512], [768]] } }
const session = (number: number): Doc => ({ lsid: { id: new mongo.BSON.Binary(Buffer.alloc(16, number), 4) }, txnNumber: 1 })
const insert = (documents: readonly Doc[]): Doc => ({ insert: 'c', documents, ordered: false, ...MAJORITY })
const increment = (_id: string, slot: number): Doc => ({
  update: 'c',
  updates: [{ q: { _id, slot }, u: { $inc: { n: 1 } } }],
  ...MAJORITY,
})

function start(options: Partial<ClusterOptions> = {}, seed = 1) {
  const world = createVirtualWorld(seed)
  const reaches: Reach[] = []
  const happened = { stale: 0, waited: 0, moves: 0 }
  const cluster = new Cluster(world, {
    ...{ hosts: HOSTS, shards: 2, divisions: DIVISIONS, lagMs: () => 20, electionMs: () => 1000 },
    onReach: (_command, reach) => reaches.push(reach),
    onStaleRouter: () => (happened.stale += 1),
    onMoved(waited) {
      happened.waited += waited
      happened.moves += 1
    },
    ...options,
  })
  const [router, other] = ['mongos-1:27017', 'mongos-2:27017'].map((address) => commandClient(cluster, address))
  if (!router || !other) throw new Error('two routers')
  const ask = (command: Doc, client: CommandClient = router) => world.until(client.send(command))
  return { world, cluster, reaches, happened, router, other, ask }
}

const doc = (_id: string, slot: number): Doc => ({ _id, slot, n: 0 })

// Proves: faults/mongodb-model-routes-by-the-shard-key
test('a command reaches the shards that its filter names, and tells how many slots that are', async () => {
  const { ask, reaches } = start()
  await ask(insert([doc('a', 1), doc('b', 300), doc('c', 600)]))
  const filters: Doc[] = [{ slot: 1, _id: 'a' }, { slot: { $in: [1, 600] } }, { slot: { $in: [1, 300] } }, { _id: 'a' }]
  for (const filter of filters) await ask({ find: 'c', filter })
  expect(reaches.map(({ shards, slots }) => [shards, slots])).toEqual([
    [1, 1],
    [1, 2],
    [2, 2],
    [2, 0],
  ])
})

test('answers of several shards are one answer, sorted and limited', async () => {
  const { ask } = start()
  await ask(insert([doc('a', 1), doc('b', 300), doc('c', 600), doc('d', 900)]))
  const find = { find: 'c', filter: { n: 0 }, sort: { slot: -1 }, limit: 3, projection: { slot: 1 } }
  expect(await ask(find)).toMatchObject({
    cursor: {
      firstBatch: [
        { _id: 'd', slot: 900 },
        { _id: 'c', slot: 600 },
        { _id: 'b', slot: 300 },
      ],
    },
  })
  const pipeline = [{ $match: { n: 0 } }, { $group: { _id: 1, n: { $sum: 1 } } }]
  expect(await ask({ aggregate: 'c', pipeline, cursor: {} })).toMatchObject({ cursor: { firstBatch: [{ _id: 1, n: 4 }] } })
  const updates = [{ q: { n: 0 }, u: { $set: { n: 1 } }, multi: true }]
  expect(await ask({ update: 'c', updates, ordered: false, ...MAJORITY })).toMatchObject({ n: 4, nModified: 4 })
})

test('an id is unique within a shard, as a shard knows only its own', async () => {
  const { ask } = start()
  expect(await ask(insert([doc('a', 1), doc('a', 300), doc('a', 2)]))).toMatchObject({
    n: 2,
    writeErrors: [{ index: 2, code: 11000 }],
  })
})

// Proves: faults/mongodb-model-refuses-what-shards-cannot
test('a unique index begins with the shard key', async () => {
  const { ask } = start()
  const index = (key: Doc, name: string): Doc => ({ createIndexes: 'c', indexes: [{ key, name, unique: true }] })
  expect(await ask(index({ order_key: 1 }, 'order_key'))).toMatchObject({ ok: 0, code: 67, codeName: 'CannotCreateIndex' })
  expect(await ask(index({ slot: 1, n: 1 }, 'slot_n'))).toMatchObject({ ok: 0, code: 67 })
  expect(await ask(index({ slot: 1, _id: 1, n: 1 }, 'whole'))).toMatchObject({ ok: 1 })
})

// Proves: faults/mongodb-model-refuses-what-shards-cannot
test.each<[string, Doc]>([
  ['a document without its shard key', insert([{ _id: 'a' }])],
  ['a change of a shard key', { update: 'c', updates: [{ q: { _id: 'a', slot: 1 }, u: { $set: { slot: 2 } } }] }],
  ['an update of one document that names no shard', { update: 'c', updates: [{ q: { n: 0 }, u: { $set: { n: 1 } } }] }],
  ['findAndModify that names no shard', { findAndModify: 'c', query: { n: 0 }, update: { $set: { n: 1 } }, new: true }],
])('%s ends the run', async (_what, command) => {
  const { ask } = start()
  await ask(insert([doc('a', 1)]))
  await expect(ask(command)).rejects.toThrow('the simulated MongoDB does not support')
})

// Proves: faults/mongodb-model-moves-chunks
test.each([1, 2, 3, 4, 5])(
  'seed %d: chunks move and primaries fail while writes run, and no write is lost or done twice',
  async (seed) => {
    const { world, cluster, happened, router, other, ask } = start({ shards: 4 }, seed)
    const slots = [1, 300, 600, 900]
    await ask(insert(slots.map((slot) => doc(`d${slot}`, slot))))
    const [done, unclear] = [new Map<unknown, number>(), new Map<unknown, number>()]
    const writers = Array.from({ length: 40 }, async (_, number) => {
      await new Promise<void>((resolve) => void world.after(number * 25, resolve))
      const slot = slots[number % slots.length] ?? 1
      const answer = await (number % 3 === 0 ? other : router).send({ ...increment(`d${slot}`, slot), ...session(number) })
      const counted = answer['writeErrors'] || answer['writeConcernError'] ? unclear : done
      counted.set(slot, (counted.get(slot) ?? 0) + 1)
    })
    for (let at = 0; at < 12; at++) world.after(at * 80, () => cluster.moveChunk(seed * 7 + at * 5))
    world.after(300, () => cluster.shards[seed % 4]?.failover({ stale: false }))
    await world.until(Promise.all(writers))
    await world.advance(20_000)
    const stored = cluster.dump('db', 'c')
    expect(stored).toHaveLength(slots.length)
    for (const { slot, n } of stored) {
      expect(n).toBeGreaterThanOrEqual(done.get(slot) ?? 0)
      expect(n).toBeLessThanOrEqual((done.get(slot) ?? 0) + (unclear.get(slot) ?? 0))
    }
    expect(happened.moves).toBeGreaterThan(3)
    expect(happened.waited + happened.stale).toBeGreaterThan(0)
  },
)

test('a repeated write is known at the shard to which its chunk has moved', async () => {
  const { world, cluster, happened, ask } = start()
  await ask(insert([doc('a', 1)]))
  const write = { ...increment('a', 1), ...session(1) }
  await ask(write)
  for (let number = 0; happened.moves < 4; number++) {
    cluster.moveChunk(number)
    await world.advance(500)
  }
  expect(await ask(write)).toMatchObject({ n: 1, ok: 1 })
  expect(cluster.dump('db', 'c')).toMatchObject([{ _id: 'a', n: 1 }])
})

test('a shard without a primary fails its own statements, and no others', async () => {
  const { cluster, world, ask } = start()
  await world.advance(1000)
  const [, second] = cluster.shards
  for (const member of [0, 1, 2]) second?.killMember(member)
  const answer = await ask(insert([doc('a', 1), doc('b', 300), doc('c', 2)]))
  expect(answer).toMatchObject({ ok: 1, n: 2, writeErrors: [{ index: 1, code: 133 }] })
  expect(await ask({ find: 'c', filter: { slot: 300 } })).toMatchObject({ ok: 0, code: 133 })
  expect(await ask({ find: 'c', filter: { slot: 1 } })).toMatchObject({ ok: 1 })
})
