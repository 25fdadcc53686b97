import { newTransactionId } from '@gateway/contracts'
import { Registry } from 'prom-client'
import { makeCheckSlot } from './check-slot.ts'

// Proves: scale/wrong-slot-is-reported
test('a document whose slot is not that of its id is counted at each read and logged once', async () => {
  const registry = new Registry()
  const logged: object[] = []
  const check = makeCheckSlot({ registry }, 'transactions', { error: (_message, fields) => void logged.push({ ...fields }) })
  const count = async () => (await registry.getSingleMetric('documents_with_wrong_slot_total')?.get())?.values[0]?.value
  const id = newTransactionId(new Date(), 7)

  check(id, 7)
  check(`${id}R01.2`, 7)
  expect([await count(), logged]).toEqual([0, []])

  check(id, 8)
  check(id, 8)
  expect([await count(), logged]).toEqual([2, [{ collection: 'transactions', id, slot: 8 }]])
})
