import { anEvent } from '../../test/builders.ts'
import { makeStoreCopy } from './store-copies.ts'

/** Copies that are stored while first attempts queue up for a time; waiting moves the clock. */
function storing({ busyForMs }: { busyForMs: number }) {
  let nowMs = 0
  const stored: { atMs: number; ids: string[] }[] = []
  const storeCopy = makeStoreCopy({
    copies: { append: async (copies) => void stored.push({ atMs: nowMs, ids: copies.map(({ id }) => id) }) },
    isBusy: () => nowMs < busyForMs,
    waitUntil: async (instantMs) => void (nowMs = instantMs),
    now: () => new Date(nowMs),
  })
  return { storeCopy, stored }
}

test.each([
  ['are not waiting: at once', 0, 0],
  ['queue up for a moment: after it', 250, 300],
  ['queue up without end: after two seconds', Infinity, 2000],
])('copies are stored together, and when first attempts %s', async (_what, busyForMs, atMs) => {
  const { storeCopy, stored } = storing({ busyForMs })
  const events = [anEvent('M1'), anEvent('M2')]
  await Promise.all(events.map(storeCopy))
  expect(stored).toEqual([{ atMs, ids: events.map(({ id }) => id) }])
})
