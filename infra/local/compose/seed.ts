/** Last step of `docker compose up`: seeds the merchant and writes `stack.json` with the host's addresses. */
import { join } from 'node:path'
import { ensureCa } from '../certificates.ts'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from '../secrets.ts'
import { seedMerchantAt } from '../seed.ts'
import { SERVICES, serviceUrl } from '../services.ts'
import { removeStack, stackFile, writeStack } from '../stack-file.ts'

const stateDir = process.env['STATE_DIR'] ?? '/state'
const WITHIN = 'http://api-gateway:8080'

removeStack(stateDir)
const ports = await choosePorts(process.env)
const ca = await ensureCa(stateDir)
const secrets = ensureSecrets(stateDir)
const doors = { baseUrl: WITHIN, operatorUrl: 'http://auth-token:8111', operatorToken: secrets.authTokenOperatorToken }
const merchant = await seedMerchantAt(stateDir, doors, process.env['WEBHOOK_URL'])

const services = SERVICES.map(({ name }) => {
  const url = `http://${name}:8080`
  // Containers have no pids for the host, and these addresses are inside the containers' network.
  return [name, { pid: 0, url, health: `${url}/readyz` }] as const
})
writeStack(stateDir, {
  base_url: serviceUrl(ports, 'api-gateway'),
  network_url: serviceUrl(ports, 'network-simulator'),
  ca_file: ca.certFile,
  ca_key_file: ca.keyFile,
  mongo_url: `mongodb://127.0.0.1:${ports.mongo}`,
  amqp_url: `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
  operator: { url: serviceUrl(ports, 'auth-token-operator'), token: secrets.authTokenOperatorToken },
  webhook_operator: { url: serviceUrl(ports, 'webhook-dispatcher-operator'), token: secrets.webhookOperatorToken },
  merchant,
  services: Object.fromEntries(services),
})
// The container stays up, so that `up --wait` can wait for its health.
const stayed = setInterval(() => undefined, 60_000)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => clearInterval(stayed))
console.log(`merchant ${merchant.merchant_id} is ready; ${join('state', stackFile('.'))} has all addresses`)
