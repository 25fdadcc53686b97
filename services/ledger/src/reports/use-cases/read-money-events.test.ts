import fc from 'fast-check'
import { entryKey, type Entry } from '../../reconciliation/domain/entry.ts'
import type { EntryRange, ReadEntries } from '../../reconciliation/persistence/entries.ts'
import { makeReadMoneyEvents } from './read-money-events.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const start = new Date('2026-11-20T18:30:00.000Z')

function anEntry(number: number, atMs: number): Entry {
  return {
    ...{
      kind: 'capture',
      reference: `R${String(number).padStart(6, '0')}`,
      merchant_id: 'M1',
      transaction_id: 'T',
      order_id: 'O',
    },
    ...{ rrn: null, method: null, amount_paise: 1, status: number % 5 === 4 ? 'pending' : 'succeeded', version: 1 },
    at: new Date(start.getTime() + atMs),
  }
}

/** Answers as the database does, from these entries. */
function reading(all: readonly Entry[]): ReadEntries & { largest: number } {
  const within = ({ from, to }: EntryRange) => all.filter(({ at }) => at >= from && at < to)
  const answer = (found: readonly Entry[], limit: number): Promise<Entry[]> => {
    reader.largest = Math.max(reader.largest, Math.min(found.length, limit))
    return Promise.resolve(found.slice(0, limit))
  }
  const reader = {
    largest: 0,
    inAnyOrder: (range: EntryRange, limit: number) => answer(within(range), limit),
    byKey: (range: EntryRange, after: Entry | undefined, limit: number) =>
      answer(
        within(range).filter((entry) => !after || entryKey(entry) > entryKey(after)),
        limit,
      ),
  }
  return reader
}

async function all(reader: ReadEntries): Promise<string[]> {
  const found: string[] = []
  const range = { merchantId: 'M1', from: start, to: new Date(start.getTime() + DAY_MS) }
  for await (const chunk of makeReadMoneyEvents(reader)(range)) found.push(...chunk.map(({ reference }) => reference))
  return found
}

test('it reads every moved entry of the half-open day once, the oldest first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -1000, max: DAY_MS + 1000 }), { maxLength: 300 }), async (times) => {
      const entries = times.map((atMs, index) => anEntry(index, atMs))
      const expected = entries
        .filter(({ at, status }) => at >= start && at.getTime() < start.getTime() + DAY_MS && status === 'succeeded')
        .toSorted((one, other) => one.at.getTime() - other.at.getTime())
      expect(await all(reading(entries))).toEqual(expected.map(({ reference }) => reference))
    }),
  )
})

test('neither a busy minute nor a millisecond with more than a chunk makes it read more than a chunk at once', async () => {
  const entries = Array.from({ length: 9000 }, (_, index) => anEntry(index, index < 4000 ? 5 : index * 7))
  const reader = reading(entries)
  const found = await all(reader)
  expect(found).toHaveLength(entries.filter(({ status }) => status === 'succeeded').length)
  expect(new Set(found).size).toBe(found.length)
  expect(reader.largest).toBe(2000)
})
