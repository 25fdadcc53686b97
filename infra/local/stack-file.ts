/** `stack.json`: how programs find the running stack. Outside programs rely on its format (design, section 9). */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '@gateway-infra/system/private-file'
import type { CaFiles } from './secrets.ts'
import { serviceUrl, type Wiring } from './services.ts'

export interface SeededMerchant {
  readonly merchant_id: string
  readonly key_id: string
  readonly key_secret: string
  readonly webhook_secret: string
  readonly webhook_url: string
}

export interface Stack {
  readonly base_url: string
  readonly network_url: string
  readonly ca_file: string
  readonly ca_key_file: string
  readonly mongo_url: string
  readonly amqp_url: string
  readonly operator: { readonly url: string; readonly token: string }
  readonly webhook_operator: { readonly url: string; readonly token: string }
  readonly ledger_operator: { readonly url: string; readonly token: string }
  readonly merchant: SeededMerchant
  readonly services: Readonly<Record<string, { readonly pid: number; readonly url: string; readonly health: string }>>
}

/** The content of the file, with the addresses of this machine. */
export function describeStack(
  { ports, secrets, mongoUrl, amqpUrl }: Pick<Wiring, 'ports' | 'secrets' | 'mongoUrl' | 'amqpUrl'>,
  ca: CaFiles,
  merchant: SeededMerchant,
  processes: readonly { readonly name: string; readonly pid: number; readonly url: string }[],
): Stack {
  const services = processes.map(({ name, pid, url }) => [name, { pid, url, health: `${url}/readyz` }] as const)
  return {
    base_url: serviceUrl(ports, 'api-gateway'),
    network_url: serviceUrl(ports, 'network-simulator'),
    ca_file: ca.certFile,
    ca_key_file: ca.keyFile,
    mongo_url: mongoUrl,
    amqp_url: amqpUrl,
    operator: { url: serviceUrl(ports, 'auth-token-operator'), token: secrets.authTokenOperatorToken },
    webhook_operator: { url: serviceUrl(ports, 'webhook-dispatcher-operator'), token: secrets.webhookOperatorToken },
    ledger_operator: { url: serviceUrl(ports, 'ledger-operator'), token: secrets.ledgerOperatorToken },
    merchant,
    services: Object.fromEntries(services),
  }
}

export function stackFile(stateDir: string): string {
  return join(stateDir, 'stack.json')
}

/** Writes the file with mode 0600, since it contains secrets. */
export function writeStack(stateDir: string, stack: Stack): void {
  writePrivate(stackFile(stateDir), JSON.stringify(stack, null, 2))
}

export function removeStack(stateDir: string): void {
  rmSync(stackFile(stateDir), { force: true })
}

/** `undefined` when no stack is ready. Only `npm start` and compose write the file. */
export function readStack(stateDir: string): Stack | undefined {
  try {
    return JSON.parse(readFileSync(stackFile(stateDir), 'utf8')) as Stack
  } catch {
    return undefined
  }
}
