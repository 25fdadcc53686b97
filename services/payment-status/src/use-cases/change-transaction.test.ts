import { opened } from '../domain/test-data.ts'
import { makeChangeTransaction } from './change-transaction.ts'

test('the event of a change leaves after the log line of the change and before the answer to what caused it', async () => {
  let isWritten = false
  const change = makeChangeTransaction({
    transactions: {
      // As amqplib does: what is sent in a turn is written to the socket at its end.
      save: async () => Boolean(setImmediate(() => (isWritten = true))),
      find: async () => undefined,
    },
    raiseAlerts: () => undefined,
    logChanges: () => expect(isWritten).toBe(false),
  })
  const changed = { ...opened(), version: 2 }
  expect(await change(opened(), () => ({ transaction: changed, events: [], alerts: [] }))).toBe(changed)
  expect(isWritten).toBe(true)
})
