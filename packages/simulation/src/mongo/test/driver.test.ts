import { connectToModel } from './model-client.ts'

/** Through the real driver in real time: its retries, its search for the primary and its errors are its own. */
test('the driver finds the next primary, and repeats a write that is done once', async () => {
  const options = { lagMs: () => 20, electionMs: () => 100, staleMs: () => 200 }
  const { model, client, close } = await connectToModel(options, {
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
  })
  try {
    const counters = client.db('db').collection<{ _id: string; n: number }>('counters')
    await counters.insertOne({ _id: 'a', n: 0 })
    let acknowledged = 0
    for (const stale of [false, true, false, true]) {
      const update = counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }).catch((error: unknown) => error)
      setTimeout(() => model.shards[0]?.failover({ stale }), 10)
      const result = await update
      if (!(result instanceof Error)) acknowledged += 1
      const stored = await counters.findOne({ _id: 'a' })
      expect(stored?.n).toBeGreaterThanOrEqual(acknowledged)
    }
    const stored = await counters.findOne({ _id: 'a' })
    expect(stored?.n).toBeLessThanOrEqual(4)
    expect(acknowledged).toBeGreaterThan(0)
    expect(model.dump('db', 'counters')).toEqual([stored])
  } finally {
    await close()
  }
})

test('the driver names the index and the key of a duplicate', async () => {
  const { client, close } = await connectToModel({ lagMs: () => 1 })
  try {
    const orders = client.db('db').collection<{ _id: string; key: string }>('orders')
    await orders.createIndex({ key: 1 }, { unique: true, name: 'by_key' }, {})
    await orders.insertOne({ _id: 'a', key: 'k' })
    await expect(orders.insertOne({ _id: 'b', key: 'k' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { key: 1 },
      keyValue: { key: 'k' },
      message: 'E11000 duplicate key error collection: db.orders index: by_key dup key: { key: "k" }',
    })
  } finally {
    await close()
  }
})

test('the driver takes routers for a sharded cluster, and is told the place of each refused document', async () => {
  const divisions = { 'db.orders': { key: ['slot', '_id'], bounds: [[1], [2], [3]] } }
  const { model, client, close } = await connectToModel({ lagMs: () => 1, shards: 2, divisions })
  try {
    const orders = client.db('db').collection<{ _id: string; slot: number }>('orders')
    const documents = [0, 1, 2, 3, 4].map((slot) => ({ _id: `o${slot}`, slot }))
    await orders.insertMany(
      [
        { _id: 'o1', slot: 1 },
        { _id: 'o4', slot: 4 },
      ],
      { ordered: false },
    )
    await expect(orders.insertMany(documents, { ordered: false })).rejects.toMatchObject({
      insertedCount: 3,
      writeErrors: [
        { index: 1, code: 11000 },
        { index: 4, code: 11000 },
      ],
    })
    expect(await orders.find({}, { sort: { slot: -1 }, limit: 2, projection: { _id: 1 } }).toArray()).toEqual([
      { _id: 'o4' },
      { _id: 'o3' },
    ])
    expect(await orders.countDocuments({ slot: { $lt: 4 } })).toBe(4)
    expect(model.shards.map((shard) => shard.dump('db', 'orders').length)).toEqual([2, 3])
  } finally {
    await close()
  }
})
