import fc from 'fast-check'
import { createTimeSlicer } from './time-slicer.ts'

const SLICE_MS = 5

/** An event loop by hand: its clock is what the works last, its turns come when called. */
function loop({ maxQueued = Infinity }: { maxQueued?: number } = {}) {
  let [clock, next] = [0, [] as (() => void)[]]
  const begin = createTimeSlicer({ sliceMs: SLICE_MS, maxQueued, now: () => clock, inNextTurn: (run) => void next.push(run) })
  return {
    begin,
    pass: (ms: number) => void (clock += ms),
    /** False when there is nothing that would run. What throws is handed on at the end. */
    turn: () => {
      const due = next
      next = []
      const errors: unknown[] = []
      for (const run of due) {
        try {
          run()
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
      return due.length > 0
    },
  }
}

/** Works of so many milliseconds, as they come in one turn after the other; some bring more work while they run. */
const arrivals = fc.array(fc.array(fc.record({ lasts: fc.integer({ min: 0, max: 8 }), brings: fc.integer({ min: 0, max: 2 }) })))

test('every work is begun once, in the order in which it came, and no turn begins any after its slice', () => {
  fc.assert(
    fc.property(arrivals, (turns) => {
      const { begin, pass, turn } = loop()
      const [came, begun]: [number[], number[]] = [[], []]
      let spentMs = 0
      const come = ({ lasts, brings }: { lasts: number; brings: number }): void => {
        const name = came.push(came.length)
        begin(() => {
          expect(spentMs).toBeLessThan(SLICE_MS)
          begun.push(name)
          pass(lasts)
          spentMs += lasts
          for (let more = 0; more < brings; more++) come({ lasts: 1, brings: 0 })
        })
      }
      const nextTurn = (): boolean => {
        spentMs = 0
        return turn()
      }
      for (const works of turns) {
        // As in Node: what waited since the turn before is begun before this turn's input, in the same slice.
        for (const work of works) come(work)
        nextTurn()
      }
      while (nextTurn());
      expect(begun.toSorted((a, b) => a - b)).toEqual(begun)
      expect(begun).toHaveLength(came.length)
    }),
  )
})

test('an idle server begins at once, and each turn at least one, however long it lasts', () => {
  const { begin, pass, turn } = loop()
  const begun: string[] = []
  const work = (name: string) => () => {
    begun.push(name)
    pass(100)
  }
  begin(work('first'))
  expect(begun).toEqual(['first'])
  begin(work('second'))
  begin(work('third'))
  turn()
  expect(begun).toEqual(['first', 'second'])
  turn()
  expect(begun).toEqual(['first', 'second', 'third'])
  turn()
  expect(turn()).toBe(false)
  begin(work('idle again'))
  expect(begun).toContain('idle again')
})

test('work that throws does not stop the work after it', () => {
  const { begin, pass, turn } = loop()
  const begun: string[] = []
  begin(() => pass(SLICE_MS))
  begin(() => {
    throw new Error('broken')
  })
  begin(() => void begun.push('the next'))
  expect(turn).toThrow('broken')
  expect(begun).toEqual(['the next'])
})

test('no more waits than may: the oldest is begun then, out of its turn but in order', () => {
  const { begin, pass, turn } = loop({ maxQueued: 2 })
  const begun: number[] = []
  for (let name = 1; name <= 6; name++) {
    begin(() => {
      begun.push(name)
      pass(SLICE_MS)
    })
  }
  expect(begun).toEqual([1, 2, 3, 4])
  while (turn());
  expect(begun).toEqual([1, 2, 3, 4, 5, 6])
})
