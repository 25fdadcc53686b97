import { runCallers, runPaced } from './pacing.ts'

test('callers call at once, each after its answer, until the time is over', async () => {
  let [waiting, most, calls] = [0, 0, 0]
  await runCallers({ concurrency: 4, durationMs: 400 }, async () => {
    most = Math.max(most, (waiting += 1))
    await new Promise((resolve) => setTimeout(resolve, 1))
    ;[waiting, calls] = [waiting - 1, calls + 1]
  })
  expect([waiting, most]).toEqual([0, 4])
  expect(calls).toBeGreaterThan(4)
})

test('a pace makes each call once, and counts calls that had no room', async () => {
  const indexes: number[] = []
  const note = (index: number) => Promise.resolve(indexes.push(index))
  expect(await runPaced({ perSecond: 1000, durationMs: 20 }, note)).toBe(0)
  expect(indexes).toEqual(Array.from({ length: 20 }, (_, index) => index))

  const { promise, resolve } = Promise.withResolvers<undefined>()
  const blocked = runPaced({ perSecond: 1000, durationMs: 10, maxWaiting: 3 }, () => promise)
  setTimeout(() => resolve(undefined), 50)
  expect(await blocked).toBe(7)
})
