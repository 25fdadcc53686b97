/** First step of `docker compose up`: generates secrets and a CA once, and gives each service, and the broker, only its own secrets. */
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureCa, ensureSecrets } from '../secrets.ts'
import { brokerPasswords, serviceEnvironment, SERVICES } from '../services.ts'
import { writePrivate } from '@gateway-infra/system/private-file'
import { brokerDefinitions } from '@gateway/messaging'

/** Passed as files named after these variables in lower case. */
const SECRETS = [
  'SERVICE_TOKEN',
  'CALLER_TOKENS',
  'AMQP_URL',
  'MASTER_KEYS',
  'OPERATOR_TOKEN',
  'CHECKOUT_LINK_KEY',
  'PAYER_HASH_KEY',
  'NETWORK_API_KEY',
  'NETWORK_CALLBACK_SECRET',
] as const
/** The user id of `node` in the images. */
const SERVICE_USER = 1000

/** `loopback_users`: programs on this machine connect through a published port, which is not the broker's own loopback. */
const BROKER_SETTINGS = `loopback_users = none
log.console = true
load_definitions = /etc/rabbitmq/conf.d/definitions.json
`

const stateDir = process.env['STATE_DIR'] ?? '/state'
const secretsDir = process.env['SECRETS_DIR'] ?? '/secrets'

const ca = await ensureCa(stateDir)
const secrets = ensureSecrets(stateDir)
const broker = { amqpUrl: 'amqp://rabbitmq:5672', amqpPrefix: '', hasBrokerUsers: true }
const database = { mongoUrl: '', databasePrefix: '' }
const wiring = { ports: await choosePorts({}), secrets, ...broker, ...database, caFile: ca.certFile }

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
// The broker's settings stay readable for all: they contain only hashes, and the broker's user id differs between images.
const brokerDir = join(secretsDir, 'rabbitmq')
mkdirSync(brokerDir, { recursive: true })
const administrator = { name: 'guest', password: secrets.brokerAdministratorPassword }
const definitions = brokerDefinitions({ passwords: brokerPasswords(secrets), administrator, randomBytes })
writeFileSync(join(brokerDir, 'definitions.json'), JSON.stringify(definitions))
writeFileSync(join(brokerDir, 'users.conf'), BROKER_SETTINGS)
console.log(`secrets for ${SERVICES.length} services are ready`)
