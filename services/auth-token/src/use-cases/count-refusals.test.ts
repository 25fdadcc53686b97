import type { AuditRecord } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import type { AuditLog } from '../persistence/audit-log.ts'
import { startCountingRefusals } from './count-refusals.ts'

const refusal: AuditRecord = {
  who: 'merchant',
  action: 'endpoint.enable',
  outcome: 'refused',
  merchant_id: 'mer_1',
  target: null,
  credential_id: 'key_1',
  address_prefix: null,
  request_id: null,
}

// Proves: access/failed-authentications-counted
test('a count that the database did not take is written later, once', async () => {
  const clock = { ms: 60_000 }
  const database = { isAway: false }
  const written: number[] = []
  const append: AuditLog['append'] = async ({ count = 1 }) => {
    if (database.isAway) throw new Error('the database went away')
    written.push(count)
  }
  const { appendRefusal, worker } = startCountingRefusals({
    auditLog: { append },
    log: silentLog,
    now: () => new Date(clock.ms),
  })
  for (let n = 0; n < 4; n++) await appendRefusal(refusal)
  database.isAway = true
  await expect(worker.stop(0)).rejects.toThrow('the database went away')
  database.isAway = false
  await worker.stop(0)
  await worker.stop(0)
  expect(written).toEqual([1, 3])
})
