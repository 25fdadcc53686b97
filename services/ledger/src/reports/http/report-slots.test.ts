import { createReportSlots, type AcquireSlot } from './report-slots.ts'

const ignore = (): void => undefined
const tooMany = expect.objectContaining({ code: 'too_many_reports' }) as Error

/** Two reports of each of eight merchants. */
async function acquireAll(acquire: AcquireSlot) {
  const ended: number[] = []
  const slots = Array.from({ length: 16 }, (_, index) => acquire(`M${index % 8}`, () => ended.push(index)))
  return { slots: await Promise.all(slots), ended }
}

// Proves: ledger/reports-are-limited
test('a merchant has two reports at once; a released slot is free again', async () => {
  const acquire = createReportSlots()
  const slot = await acquire('M0', ignore)
  await acquire('M0', ignore)
  await expect(acquire('M0', ignore)).rejects.toEqual(tooMany)
  slot.release()
  await acquire('M0', ignore)
})

// Proves: ledger/reports-are-limited
test('a replica writes sixteen reports at once; one more waits a moment for a slot, then is refused', async () => {
  const clock = { ms: 0 }
  const acquire = createReportSlots(() => (clock.ms += 1000))
  const { slots, ended } = await acquireAll(acquire)
  await expect(acquire('M8', ignore)).rejects.toEqual(tooMany)
  expect(ended).toEqual([])
  const waiting = acquire('M8', ignore)
  slots[5]?.release()
  await waiting
})

// Proves: ledger/slow-readers-leave-slots
test('while all slots are held, the report whose reader has taken nothing for longest gives its slot to another', async () => {
  const clock = { ms: 0 }
  const acquire = createReportSlots(() => clock.ms)
  const { slots, ended } = await acquireAll(acquire)
  for (const slot of slots) slot.waitsForReader(true)
  clock.ms = 5000
  // All but two have taken a piece since; of these, the first does not wait for its reader.
  for (const slot of slots.filter((_, index) => index !== 3 && index !== 7)) slot.waitsForReader(true)
  slots[3]?.waitsForReader(false)
  const other = await acquire('M8', ignore)
  expect(ended).toEqual([7])
  slots[7]?.release()
  other.release()
  await acquire('M8', ignore)
  expect(ended).toEqual([7])
})
