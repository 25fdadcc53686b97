import fc from 'fast-check'
import { MAX_READ, pageStart } from './page-window.ts'

const end = new Date('2026-01-01T00:00:00Z')
const HOUR_MS = 60 * 60 * 1000

/** Documents at these ages, in milliseconds before `end`; counts as the database does, and how often it was asked. */
function list(agesMs: readonly number[]) {
  const asked: Date[] = []
  const countFrom = async (from: Date): Promise<number> => {
    asked.push(from)
    return Math.min(agesMs.filter((ageMs) => end.getTime() - ageMs >= from.getTime()).length, MAX_READ)
  }
  return { asked, start: (atLeast: number) => pageStart(countFrom, { end, atLeast }) }
}

// Proves: webhooks/list-page-reads-few
test.each([
  ['one a minute', Array.from({ length: 2000 }, (_, index) => index * 60_000), 1],
  ['a hundred a second', Array.from({ length: 100_000 }, (_, index) => index * 10), 5],
  [
    'nothing today, 50,000 within an hour of last week',
    Array.from({ length: 50_000 }, (_, index) => 7 * 24 * HOUR_MS + index * 70),
    25,
  ],
])('%s: the range fills a page and holds less than a thousand', async (_name, agesMs, mostAsked) => {
  const { asked, start } = list(agesMs)
  const from = (await start(21))?.getTime() ?? NaN
  const held = agesMs.filter((ageMs) => end.getTime() - ageMs >= from).length
  expect(held).toBeGreaterThanOrEqual(21)
  expect(held).toBeLessThan(MAX_READ)
  expect(asked.length).toBeLessThanOrEqual(mostAsked)
})

test('a short list is read from its beginning, and documents of one moment together', async () => {
  expect(await list([5, 10]).start(21)).toBeUndefined()
  expect(await list([]).start(21)).toBeUndefined()
  const together = list(Array.from({ length: 5000 }, () => 1234))
  expect(await together.start(21)).toEqual(new Date(end.getTime() - 1234))
})

// Proves: webhooks/list-page-reads-few
test('whatever the list, the range holds a whole page or everything', async () => {
  const ages = fc.array(fc.nat({ max: 1000 * 24 * HOUR_MS }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(ages, fc.integer({ min: 1, max: 30 }), async (agesMs, atLeast) => {
      const from = await list(agesMs).start(atLeast)
      const held = from === undefined ? agesMs.length : agesMs.filter((ageMs) => ageMs <= end.getTime() - from.getTime()).length
      expect(held).toBeGreaterThanOrEqual(Math.min(atLeast, agesMs.length))
    }),
  )
})
