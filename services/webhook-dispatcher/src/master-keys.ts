/** `master-keys.ts status|reseal <key id>`: what is sealed under which master key, and sealing all of it under the first one. */
import { runMasterKeyStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { sealedPlaces } from './persistence/sealed-places.ts'

await runMasterKeyStep({
  service: 'webhook-dispatcher',
  databaseName: DATABASE_NAME,
  args: process.argv.slice(2),
  placesOf: sealedPlaces,
  // In the same words as what operators do by its port.
  audit: (outcome, { log }) => {
    log.info('operator', { action: 'reseal_master_keys', outcome })
    return Promise.resolve()
  },
})
