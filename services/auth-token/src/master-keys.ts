/** `master-keys.ts status|reseal <key id>`: lists what is sealed under which master key, or seals all of it under the first one. */
import { runMasterKeyStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { mongoAuditLog } from './persistence/audit-log.ts'
import { sealedPlaces } from './persistence/sealed-places.ts'

await runMasterKeyStep({
  service: 'auth-token',
  databaseName: DATABASE_NAME,
  args: process.argv.slice(2),
  placesOf: sealedPlaces,
  audit: (outcome, { connection }) =>
    mongoAuditLog(connection).append({
      at: new Date(),
      who: 'operator',
      action: 'master-keys.reseal',
      outcome,
      merchant_id: null,
      target: null,
      credential_id: null,
      address_prefix: null,
      request_id: null,
    }),
})
