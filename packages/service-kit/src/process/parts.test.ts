import { silentLog } from '../logging/logger.ts'
import { stopAll } from './lifecycle.ts'
import { stoppedInOrder, stoppedTogether, type Stoppable } from './parts.ts'

const events: string[] = []
beforeEach(() => void events.splice(0))

function part(name: string, ended: Promise<unknown> = Promise.resolve()): Stoppable {
  return {
    name,
    retire: () => void events.push(`${name} retires`),
    async stop() {
      events.push(`${name} stops`)
      await ended
      events.push(`${name} stopped`)
    },
  }
}

test('parts that stop together: a slow one does not delay the others, which stop in their order', async () => {
  const slow = Promise.withResolvers<undefined>()
  const all = stoppedTogether(part('worker', slow.promise), stoppedInOrder(part('http'), part('outbox')))
  expect(all.name).toBe('worker, http, outbox')
  const stopping = stopAll(silentLog, [all], 5000)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(events).toEqual(['worker stops', 'http stops', 'http stopped', 'outbox stops', 'outbox stopped'])
  slow.resolve(undefined)
  expect(await stopping).toBe(true)
  expect(events.at(-1)).toBe('worker stopped')
})

test('every part of a group learns of the coming stop', () => {
  stoppedTogether(part('worker'), stoppedInOrder(part('http'))).retire?.()
  expect(events).toEqual(['worker retires', 'http retires'])
})
