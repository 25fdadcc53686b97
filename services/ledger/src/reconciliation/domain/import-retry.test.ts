import { retryPauseMs } from './import-retry.ts'

test('a file keeps its turn for two failed attempts; then the pauses grow to an hour', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 1000].map((attempts) => retryPauseMs(attempts) / 60_000)
  expect(minutes).toEqual([0, 0, 1, 4, 16, 60, 60, 60])
})
