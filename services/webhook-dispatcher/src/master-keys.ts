/** `master-keys.ts status|reseal <key id>`: shows what is sealed under which master key, or seals everything under the first one. */
import { runMasterKeyStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { sealedSecrets } from './endpoints/index.ts'

await runMasterKeyStep({
  service: 'webhook-dispatcher',
  databaseName: DATABASE_NAME,
  args: process.argv.slice(2),
  placesOf: sealedSecrets,
  // The same log line as for actions on the operators' port.
  audit: (outcome, { log }) => {
    log.info('operator', { action: 'reseal_master_keys', outcome })
    return Promise.resolve()
  },
})
