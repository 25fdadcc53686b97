import { silentLog } from '../logging/logger.ts'
import { makeAudited } from './audited.ts'

// Proves: faults/logs-hold-no-personal-data
test.each([
  ['5200828282828210', '?'],
  ['9123456780', '?'],
  ['DELETE /operator/v1/merchants/asha@okbank/credentials/4111-1111-1111-1111', 'DELETE /operator/v1/merchants/?/credentials/?'],
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
  await makeAudited({ append, log })({ who: 'asha', action: 'operator.call', merchantId: null, target }, () => Promise.resolve())
  expect(stored).toMatchObject([{ target: kept }, { target: kept }])
  expect(logged).toMatchObject([{ target: kept }])
})
