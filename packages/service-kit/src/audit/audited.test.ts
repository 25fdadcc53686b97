import { Refused, Unavailable, type AuditRecord } from '@gateway/contracts'
import { silentLog, type Log } from '../logging/logger.ts'
import { makeAudited } from './audited.ts'

const ACTION = { who: 'merchant', action: 'secret.rotate', merchantId: 'mer_1', target: null }
const away = new Unavailable('audit_unavailable', 'The audit cannot be written now')
const refusal = new Refused('endpoint_missing', 'There is no endpoint')

/** An audit that stores no entry with one of these outcomes. */
function auditWithout(...lost: AuditRecord['outcome'][]) {
  const [stored, errors]: [string[], string[]] = [[], []]
  const append = async ({ outcome }: AuditRecord) => {
    if (lost.includes(outcome)) throw away
    stored.push(outcome)
  }
  const log: Log = { info: () => {}, warn: () => {}, debug: () => {}, error: (message) => void errors.push(message) }
  return { audited: makeAudited({ append, log }), stored, errors }
}

// Proves: access/outcome-stands-without-its-entry
test.each(['done', 'refused'] as const)('when only the entry %s is lost, the caller still gets the outcome', async (lost) => {
  const { audited, stored, errors } = auditWithout(lost)
  const work = async (begin: () => Promise<void>) => {
    await begin()
    if (lost === 'refused') throw refusal
    return 'the new secret'
  }
  const outcome = await audited(ACTION, work).catch((error: unknown) => error)
  expect(outcome).toBe(lost === 'refused' ? refusal : 'the new secret')
  expect([stored, errors]).toEqual([['asked'], ['audit outcome not stored']])
})

// Proves: access/no-change-without-audit
test('work that cannot be written down has no effect, and its entry is not tried again', async () => {
  const { audited, stored, errors } = auditWithout('asked')
  let effects = 0
  const work = async (begin: () => Promise<void>) => {
    await begin()
    effects += 1
  }
  await expect(audited(ACTION, work)).rejects.toBe(away)
  expect([effects, stored, errors]).toEqual([0, [], []])
})

// Proves: access/refusals-are-one-entry
test('a refusal before any effect is one entry, and work that changes nothing is none', async () => {
  const { audited, stored } = auditWithout()
  await expect(audited(ACTION, () => Promise.reject(refusal))).rejects.toBe(refusal)
  expect(await audited(ACTION, () => Promise.resolve('as before'))).toBe('as before')
  expect(stored).toEqual(['refused'])
})

test('a failure that nobody foresaw leaves the outcome open', async () => {
  const { audited, stored } = auditWithout()
  const work = async (begin: () => Promise<void>) => {
    await begin()
    throw new Error('the database went away')
  }
  await expect(audited(ACTION, work)).rejects.toThrow('the database went away')
  expect(stored).toEqual(['asked'])
})

// Proves: faults/logs-hold-no-personal-data
test.each([
  ['5200828282828210', '?'],
  ['9123456780', '?'],
  ['DELETE /operator/v1/merchants/asha@okbank/credentials/4111-1111-1111-1111', 'DELETE /operator/v1/merchants/?/credentials/?'],
  ['DELETE /api/v1/credentials/card_4111111111111111', 'DELETE /api/v1/credentials/?'],
  ['DELETE /api/v1/credentials/4111_1111_1111_1111', 'DELETE /api/v1/credentials/?'],
  ['DELETE /api/v1/credentials/4111111111111111x', 'DELETE /api/v1/credentials/?'],
  ['DELETE /api/v1/credentials/key_sandbox_4111111111111111', 'DELETE /api/v1/credentials/?'],
  ['GET /operator/v1/merchants/p9876543210/a:98765_43210', 'GET /operator/v1/merchants/?/?'],
  ['GET /operator/v1/merchants/mer_01KB0000000000123456789ABC', 'GET /operator/v1/merchants/mer_01KB0000000000123456789ABC'],
  ['01KB00000000001234567890AB4K.2', '01KB00000000001234567890AB4K.2'],
  ['refund_id=RF-20261126100815 amount=5.00', 'refund_id=RF-20261126100815 amount=5.00'],
  ['refund_id=x4111111111111111 amount=5.00', '? amount=5.00'],
  ['2026-11-26T10:08:15.000Z', '2026-11-26T10:08:15.000Z'],
  ['GET /operator/v1/differences/Asha%20Kumar', 'GET /operator/v1/differences/?'],
  [
    'GET /operator/v1/settlement-files/' + '0123456789'.repeat(6) + 'abcd',
    'GET /operator/v1/settlement-files/' + '0123456789'.repeat(6) + 'abcd',
  ],
  ['key_sandbox_a1b2c3d4e5f6a1b2c3d4e5f6', 'key_sandbox_a1b2c3d4e5f6a1b2c3d4e5f6'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
])('of the target %s, the audit and the log have %s', async (target, kept) => {
  const [stored, logged]: [unknown[], unknown[]] = [[], []]
  const log = { ...silentLog, info: (_message: string, fields?: object) => void logged.push(fields) }
  const append = (entry: object): Promise<void> => Promise.resolve(void stored.push(entry))
  await makeAudited({ append, log })({ who: 'asha', action: 'operator.call', merchantId: null, target }, (begin) => begin())
  expect(stored).toMatchObject([{ target: kept }, { target: kept }])
  expect(logged).toMatchObject([{ target: kept }])
})
