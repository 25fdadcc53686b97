import fc from 'fast-check'
import { createBatcher, Overloaded, type Batcher } from './batcher.ts'

const fulfilled = <R>(value: R): PromiseSettledResult<R> => ({ status: 'fulfilled', value })
const outcomes = (promises: Promise<unknown>[]) =>
  Promise.allSettled(promises).then((settled) => settled.map((s) => (s.status === 'fulfilled' ? s.value : String(s.reason))))

/** A runner whose batches end when told to. */
function heldRunner() {
  const batches: { items: number[]; end: () => void; fail: (error: Error) => void }[] = []
  const run = (items: number[]) =>
    new Promise<PromiseSettledResult<number>[]>((resolve, reject) => {
      batches.push({ items, end: () => resolve(items.map((item) => fulfilled(item * 10))), fail: reject })
    })
  return { batches, run }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Time passes only here: a machine that stalls ends no pause before its test is ready. */
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

test('an idle batcher runs at once; items added meanwhile go as one batch', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 10, maxQueued: 10, run })

  const first = batcher(1)
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([[1]])

  const others = [batcher(2), batcher(3), batcher(4)]
  await turn()
  expect(batches).toHaveLength(1)

  batches[0]?.end()
  expect(await first).toBe(10)
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4]])
  batches[1]?.end()
  expect(await Promise.all(others)).toEqual([20, 30, 40])
})

test('each caller gets its own result: one bad item harms no other', async () => {
  const batcher = createBatcher<number, string>({
    maxBatchSize: 10,
    maxQueued: 10,
    run: async (items) =>
      items.map((item) => (item === 2 ? { status: 'rejected', reason: 'duplicate 2' } : fulfilled(`ok ${item}`))),
  })
  expect(await outcomes([batcher(1), batcher(2), batcher(3)])).toEqual(['ok 1', 'duplicate 2', 'ok 3'])
})

test('a batch that fails rejects each of its callers, and the next batch runs', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 2, maxQueued: 10, run })
  const results = outcomes([batcher(1), batcher(2), batcher(3)])
  await turn()
  batches[0]?.fail(new Error('database away'))
  await turn()
  batches[1]?.end()
  expect(await results).toEqual(['Error: database away', 'Error: database away', 30])
})

test('a runner that throws, or answers for other items than it got, rejects its callers', async () => {
  const throws = createBatcher<number, number>({
    maxBatchSize: 1,
    maxQueued: 1,
    run: () => {
      throw new Error('broken')
    },
  })
  await expect(throws(1)).rejects.toThrow('broken')
  const short = createBatcher<number, number>({ maxBatchSize: 2, maxQueued: 2, run: async () => [fulfilled(1)] })
  expect(await outcomes([short(1), short(2)])).toEqual(Array(2).fill('Error: a batch of 2 got 1 results'))
})

test('the queue is bounded', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 1, maxQueued: 2, run })
  const first = batcher(0)
  await turn()
  const waiting = [batcher(1), batcher(2)]
  await expect(batcher(3)).rejects.toBeInstanceOf(Overloaded)
  await expect(batcher(3)).rejects.toMatchObject({ code: 'overloaded' })
  for (const promise of [first, ...waiting]) {
    batches.at(-1)?.end()
    await promise
    await turn()
  }
  expect(batches.map(({ items }) => items)).toEqual([[0], [1], [2]])
})

test('every item runs once, in order and within the limits', async () => {
  const arrivals = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (bursts, maxBatchSize) => {
      const seen: number[] = []
      let [running, mostRunning] = [0, 0]
      const batcher = createBatcher<number, number>({
        maxBatchSize,
        maxQueued: 1_000,
        run: async (items) => {
          mostRunning = Math.max(mostRunning, (running += 1))
          expect(items.length).toBeLessThanOrEqual(maxBatchSize)
          seen.push(...items)
          await turn()
          running -= 1
          return items.map((item) => fulfilled(-item))
        },
      })
      const promises: Promise<number>[] = []
      for (const burst of bursts) {
        for (let i = 0; i < burst; i++) promises.push(batcher(promises.length))
        await Promise.resolve()
      }
      expect(await Promise.all(promises)).toEqual(promises.map((_, item) => -item))
      expect(seen).toEqual(promises.map((_, item) => item))
      expect(mostRunning).toBeLessThanOrEqual(1)
    }),
    { numRuns: 50 },
  )
})

test('the first item waits for others until the batch has flushAtSize items', async () => {
  const batches: number[][] = []
  const batcher = createBatcher<number, number>({
    maxBatchSize: 3,
    maxQueued: 10,
    maxDelayMs: 20,
    flushAtSize: 2,
    run: (items) => {
      batches.push(items)
      return Promise.resolve(items.map((value) => ({ status: 'fulfilled', value })))
    },
  })
  const first = batcher(1)
  await pass(19)
  expect(batches).toEqual([])
  const others = [batcher(2), batcher(3), batcher(4)]
  await Promise.resolve()
  expect(batches).toEqual([[1, 2, 3]])
  await Promise.all([first, ...others.slice(0, 2)])
  await pass(20)
  expect(batches).toEqual([[1, 2, 3], [4]])
  await Promise.all(others)
})

test('flushAtSize is maxBatchSize by default', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 2, maxQueued: 10, maxDelayMs: 60_000, run })
  void batcher(1)
  await turn()
  expect(batches).toEqual([])
  void batcher(2)
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([[1, 2]])
})

test('an immediate item starts its batch without delay, also after the batch before it', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 10, maxQueued: 10, maxDelayMs: 60_000, run })
  void batcher(1)
  void batcher(2, { immediate: true })
  await turn()
  void batcher(3, { immediate: true })
  void batcher(4)
  batches[0]?.end()
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('flush starts a delayed batch, also after the batch before it', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 10, maxQueued: 10, maxDelayMs: 60_000, run })
  batcher.flush()
  void batcher(1)
  batcher.flush()
  void batcher(2)
  batcher.flush()
  expect(batches.map(({ items }) => items)).toEqual([[1]])
  batches[0]?.end()
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([[1], [2]])
})

test('after a batch of several the next one pauses, and after a small one it does not', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 10, maxQueued: 20, pauseMs: 300, run })
  const few = [1, 2, 3].map((item) => batcher(item))
  await turn()
  const several = [11, 12, 13, 14, 15, 16, 17, 18].map((item) => batcher(item))
  batches[0]?.end()
  expect(await Promise.all(few)).toEqual([10, 20, 30])
  await turn()
  expect(batches).toHaveLength(2)

  const next = batcher(21)
  batches[1]?.end()
  // Nobody of the batch itself waits for the pause.
  expect(await Promise.all(several)).toHaveLength(8)
  await turn()
  const meanwhile = batcher(22)
  await pass(299)
  expect(batches).toHaveLength(2)
  await pass(1)
  expect(batches.map(({ items }) => items).at(-1)).toEqual([21, 22])
  batches[2]?.end()
  expect(await Promise.all([next, meanwhile])).toEqual([210, 220])
})

test('a whole batch that waits already is not kept by a pause', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 8, maxQueued: 20, pauseMs: 300, run })
  const all = Array.from({ length: 16 }, (_, item) => batcher(item))
  await turn()
  batches[0]?.end()
  await turn()
  expect(batches).toHaveLength(2)
  batches[1]?.end()
  expect(await Promise.all(all)).toHaveLength(16)
})

/** A batcher in the pause after its first batch of eight. */
async function pausing({ pauseMs }: { pauseMs: number }) {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 8, maxQueued: 20, maxDelayMs: 60_000, pauseMs, run })
  for (let item = 0; item < 8; item++) void batcher(item)
  await turn()
  batches[0]?.end()
  await turn()
  return { batches, batcher }
}

test.each<[string, (batcher: Batcher<number, number>) => unknown, number[]]>([
  ['an immediate item', (batcher) => batcher(20, { immediate: true }), [10, 20]],
  ['flush', (batcher) => batcher.flush(), [10]],
  ['a full batch', (batcher) => [11, 12, 13, 14, 15, 16, 17].map((item) => batcher(item)), [10, 11, 12, 13, 14, 15, 16, 17]],
])('%s ends a pause', async (_what, end, next) => {
  const { batches, batcher } = await pausing({ pauseMs: 60_000 })
  void batcher(10)
  await turn()
  expect(batches).toHaveLength(1)
  void end(batcher)
  await turn()
  expect(batches.map(({ items }) => items).slice(1)).toEqual([next])
})

test('what comes during a pause does not wait for others again', async () => {
  const { batches, batcher } = await pausing({ pauseMs: 5 })
  void batcher(10)
  await pass(4)
  expect(batches).toHaveLength(1)
  await pass(1)
  expect(batches[1]?.items).toEqual([10])
})

test('a batch that is stuck keeps no other from starting for long, and makes no room twice when it ends', async () => {
  const { batches, run } = heldRunner()
  const batcher = createBatcher({ maxBatchSize: 1, maxQueued: 10, slowAfterMs: 5, run })
  const results = [batcher(1), batcher(2), batcher(3)]
  for (const started of [1, 2, 3]) {
    await turn()
    expect(batches).toHaveLength(started)
    await pass(5)
  }
  for (const { end } of batches) end()
  expect(await Promise.all(results)).toEqual([10, 20, 30])

  const quick = createBatcher({ maxBatchSize: 1, maxQueued: 10, slowAfterMs: 60_000, run })
  const more = [quick(4), quick(5), quick(6)]
  for (const index of [3, 4, 5]) {
    await turn()
    expect(batches).toHaveLength(index + 1)
    batches[index]?.end()
  }
  expect(await Promise.all(more)).toEqual([40, 50, 60])
})
