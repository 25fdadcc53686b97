import { opened } from '../domain/test-data.ts'
import { makeChangeTransaction } from './change-transaction.ts'
import { testSocket } from './test-socket.ts'

test('the event of a change leaves after the log line of the change and before the answer to what caused it', async () => {
  const { send, written } = testSocket()
  const change = makeChangeTransaction({
    transactions: { save: async () => send('event'), find: async () => undefined },
    raiseAlerts: () => undefined,
    logChanges: () => expect(written).toEqual([]),
  })
  const changed = { ...opened(), version: 2 }
  expect(await change(opened(), () => ({ transaction: changed, events: [], alerts: [] }))).toBe(changed)
  expect(written).toEqual(['event'])
})
