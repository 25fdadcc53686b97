/** Last step of `docker compose up`: seeds the merchant and writes `stack.json` with the host's addresses. */
import { join } from 'node:path'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureCa, ensureSecrets } from '../secrets.ts'
import { seedMerchant } from '../seed.ts'
import { amqpUrlAs, SERVICES } from '../services.ts'
import { describeStack, removeStack, stackFile, writeStack } from '../stack-file.ts'

const stateDir = process.env['STATE_DIR'] ?? '/state'

removeStack(stateDir)
const ports = await choosePorts(process.env)
const ca = await ensureCa(stateDir)
const secrets = ensureSecrets(stateDir)
const merchant = await seedMerchant(stateDir, {
  baseUrl: 'http://api-gateway:8080',
  operator: { url: 'http://auth-token:8111', token: secrets.authTokenOperatorToken },
  webhookUrl: process.env['WEBHOOK_URL'],
})

// Containers have no pids for the host, and these addresses are inside the containers' network.
const services = SERVICES.map(({ name }) => ({ name, pid: 0, url: `http://${name}:8080` }))
const mongoUrl = `mongodb://127.0.0.1:${ports.mongo}`
const amqpUrl = amqpUrlAs('guest', `amqp://127.0.0.1:${ports.amqp}`, secrets.brokerAdministratorPassword)
writeStack(stateDir, describeStack({ ports, secrets, mongoUrl, amqpUrl }, ca, merchant, services))
// The container stays up, so that `up --wait` can wait for its health.
const stayed = setInterval(() => undefined, 60_000)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => clearInterval(stayed))
console.log(`merchant ${merchant.merchant_id} is ready; ${join('state', stackFile('.'))} has all addresses`)
