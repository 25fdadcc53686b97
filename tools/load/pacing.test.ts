import { runCallers, runPaced } from './pacing.ts'

test('callers stop after so many calls, or when nothing is left', async () => {
  let calls = 0
  await runCallers({ concurrency: 4, durationMs: 60_000, maxCalls: 10 }, () => Promise.resolve(calls++))
  expect(calls).toBe(10)
  await runCallers({ concurrency: 1, durationMs: 60_000 }, () => Promise.resolve(calls++ < 14))
  expect(calls).toBe(15)
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
