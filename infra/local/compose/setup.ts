/** First step of `docker compose up`: generates secrets and a CA once, and gives each service only its own secrets. */
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureCa } from '../certificates.ts'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from '../secrets.ts'
import { serviceEnvironment, SERVICES } from '../services.ts'
import { writePrivate } from '@gateway-infra/system/private-file'

/** Passed as files named after these variables in lower case. */
const SECRETS = [
  'INTERNAL_API_TOKEN',
  'MASTER_KEYS',
  'OPERATOR_TOKEN',
  'CHECKOUT_LINK_KEY',
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
  const folder = join(secretsDir, service.name)
  mkdirSync(folder, { recursive: true })
  const env = serviceEnvironment(service, wiring, {})
  for (const name of SECRETS) {
    const value = env[name]
    if (value === undefined) continue
    const file = join(folder, name.toLowerCase())
    writePrivate(file, value)
    handOver(file)
  }
  if (env['WEBHOOK_CA_FILE'] !== undefined) {
    const file = join(folder, 'ca.crt')
    writePrivate(file, readFileSync(ca.certFile, 'utf8'))
    handOver(file)
  }
}
console.log(`secrets for ${SERVICES.length} services are ready`)

/** Only root can change owners, and only root needs to. */
function handOver(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, SERVICE_USER, SERVICE_USER)
}
