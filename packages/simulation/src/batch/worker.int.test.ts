import type { Outcome } from './work.ts'
import { Worker } from './pool.ts'

const worker = new Worker()
afterAll(() => worker.stop())

// Proves: faults/simulation-repeats-a-seed
test.each([1, 2])('seed %d breaks no rule, and repeats itself', async (seed) => {
  expect(await worker.do({ seed, twice: true })).toMatchObject<Partial<Outcome>>({
    violations: [],
    isRepeatable: true,
    payments: 40,
  })
})

// Proves: faults/simulation-finds-planted-bugs
test('a batch that gives every caller the first result is found', async () => {
  const broken = new Worker(9)
  const rules: string[] = []
  for (let seed = 1; seed <= 5 && rules.length === 0; seed++) {
    const { violations } = await broken.do({ seed })
    rules.push(...violations.map(({ rule }) => rule))
  }
  broken.stop()
  expect(rules).not.toEqual([])
})
