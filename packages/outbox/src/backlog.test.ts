import fc from 'fast-check'
import { Backlog } from './backlog.ts'

test('the oldest is the first held, until it is published', () => {
  const backlog = new Backlog()
  expect(backlog.oldestMs()).toBe(Infinity)
  backlog.hold('a', 100)
  backlog.hold('b', 200)
  expect(backlog.oldestMs()).toBe(100)
  backlog.notePublished('a')
  expect(backlog.oldestMs()).toBe(200)
  backlog.notePublished('b')
  expect(backlog.oldestMs()).toBe(Infinity)
})

test('a failed event counts until a complete sweep with a later cutoff', () => {
  const backlog = new Backlog()
  backlog.hold('a', 100)
  backlog.noteFailed('a')
  expect(backlog.oldestMs()).toBe(100)
  backlog.swept({ cutoffMs: 150, complete: false, left: undefined })
  expect(backlog.oldestMs()).toBe(100)
  backlog.swept({ cutoffMs: 99, complete: true, left: undefined })
  expect(backlog.oldestMs()).toBe(100)
  backlog.swept({ cutoffMs: 100, complete: true, left: undefined })
  expect(backlog.oldestMs()).toBe(Infinity)
})

test('events that a sweep could not publish count, and so do events younger than its cutoff', () => {
  const backlog = new Backlog()
  for (const [id, atMs] of [
    ['a', 100],
    ['b', 900],
  ] as const) {
    backlog.hold(id, atMs)
    backlog.noteFailed(id)
  }
  backlog.swept({ cutoffMs: 500, complete: true, left: { oldestMs: 300, newestMs: 300 } })
  expect(backlog.oldestMs()).toBe(300)
  backlog.swept({ cutoffMs: 600, complete: true, left: undefined })
  expect(backlog.oldestMs()).toBe(600)
  backlog.swept({ cutoffMs: 900, complete: true, left: undefined })
  expect(backlog.oldestMs()).toBe(Infinity)
})

/** The rule: never younger than the truth while anything is unpublished, and nothing is known once all is published and swept. */
test('in any order of failures and sweeps, the age is never understated and the backlog ends', () => {
  const steps = fc.array(fc.oneof(fc.constant('publish' as const), fc.constant('fail' as const), fc.constant('sweep' as const)), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(steps, (history) => {
      const backlog = new Backlog()
      let unpublished: number[] = []
      history.forEach((step, atMs) => {
        if (step === 'sweep') {
          // Everybody's sweep publishes what is at least 5 old.
          unpublished = unpublished.filter((eventAtMs) => eventAtMs > atMs - 5)
          backlog.swept({ cutoffMs: atMs - 5, complete: true, left: undefined })
        } else {
          backlog.hold(String(atMs), atMs)
          if (step === 'fail') backlog.noteFailed(String(atMs))
          else backlog.notePublished(String(atMs))
          if (step === 'fail') unpublished.push(atMs)
        }
        expect(backlog.oldestMs()).toBeLessThanOrEqual(Math.min(Infinity, ...unpublished))
      })
      backlog.swept({ cutoffMs: 1_000, complete: true, left: undefined })
      expect(backlog.oldestMs()).toBe(Infinity)
    }),
  )
})
