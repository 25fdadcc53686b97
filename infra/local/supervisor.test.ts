import { restartDelayMs } from './supervisor.ts'

test('restarts slow down, up to a bound', () => {
  expect([1, 2, 3, 4].map(restartDelayMs)).toEqual([250, 500, 1000, 2000])
  expect(restartDelayMs(0)).toBe(250)
  expect(restartDelayMs(1_000)).toBe(15_000)
})
