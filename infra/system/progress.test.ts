import { createProgress } from './progress.ts'

test('each line carries the seconds since the beginning, and a step says how long it took', async () => {
  const lines: string[] = []
  let clockMs = 0
  const progress = createProgress(
    (line) => lines.push(line),
    () => clockMs,
  )

  clockMs = 1_000
  const result = await progress.during('fetch parts', async () => {
    clockMs = 3_500
    return 'parts'
  })

  expect(result).toBe('parts')
  expect(lines).toEqual(['[  1.0 s] fetch parts …', '[  3.5 s] fetch parts: done in 2.5 s'])
})

test('a failed step throws its own error and does not claim to be done', async () => {
  const lines: string[] = []
  const progress = createProgress((line) => lines.push(line))

  await expect(progress.during('fetch parts', async () => Promise.reject(new Error('no parts')))).rejects.toThrow('no parts')
  expect(lines.filter((line) => line.includes('done'))).toEqual([])
})
