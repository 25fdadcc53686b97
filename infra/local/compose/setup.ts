/** First step of `docker compose up`: generates secrets and a CA once, and gives each service only its own secrets. */
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureCa } from '../certificates.ts'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from '../secrets.ts'
import { serviceEnvironment, SERVICES } from '../services.ts'
import { writePrivate } from '@gateway-infra/system/private-file'

/** Passed as files named after these variables in lower case. */
const SECRETS = [
  'SERVICE_TOKEN',
  'CALLER_TOKENS',
  'MASTER_KEYS',
  'OPERATOR_TOKEN',
  'CHECKOUT_LINK_KEY',
  'PAYER_HASH_KEY',
  'NETWORK_API_KEY',
  'NETWORK_CALLBACK_SECRET',
] as const
/** The user id of `node` in the images. */
const SERVICE_USER = 1000

const stateDir = process.env['STATE_DIR'] ?? '/state'
const secretsDir = process.env['SECRETS_DIR'] ?? '/secrets'

const ca = await ensureCa(stateDir)
const secrets = ensureSecrets(stateDir)
const nowhere = { mongoUrl: '', amqpUrl: '', databasePrefix: '', amqpPrefix: '', caFile: ca.certFile }
const wiring = { ports: await choosePorts({}), secrets, ...nowhere }

for (const service of SERVICES) {
  const env = serviceEnvironment(service, wiring, {})
  const files = SECRETS.map((name) => [name.toLowerCase(), env[name]] as const)
  const trusted = env['WEBHOOK_CA_FILE'] === undefined ? undefined : readFileSync(ca.certFile, 'utf8')
  for (const [name, content] of [...files, ['ca.crt', trusted] as const]) {
    if (content === undefined) continue
    const file = join(secretsDir, service.name, name)
    writePrivate(file, content)
    // Only root can change owners, and only root needs to.
    if (process.getuid?.() === 0) chownSync(file, SERVICE_USER, SERVICE_USER)
  }
}
console.log(`secrets for ${SERVICES.length} services are ready`)
