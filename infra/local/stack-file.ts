/** `stack.json`: how programs find the running stack. Outside programs rely on its format (design, section 9). */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import type { MerchantCredentials } from '@gateway/testkit/merchants'
import { writePrivate } from '@gateway-infra/system/private-file'
import { UserError } from '@gateway-infra/system/user-error'
import type { CaFiles } from './secrets.ts'
import { serviceUrl, type Wiring } from './services.ts'

export interface SeededMerchant extends MerchantCredentials {
  readonly webhook_secret: string
  readonly webhook_url: string
}

export type Stack = Readonly<ReturnType<typeof describeStack>>

/** The content of the file, with the addresses of this machine. */
export function describeStack(
  { ports, secrets, mongoUrl, amqpUrl }: Pick<Wiring, 'ports' | 'secrets' | 'mongoUrl' | 'amqpUrl'>,
  ca: CaFiles,
  merchant: SeededMerchant,
  processes: readonly { readonly name: string; readonly pid: number; readonly url: string }[],
) {
  const services: Record<string, { readonly pid: number; readonly url: string; readonly health: string }> = Object.fromEntries(
    processes.map(({ name, pid, url }) => [name, { pid, url, health: `${url}/readyz` }]),
  )
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
    services,
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

/** The stack on which `on-stack.ts` runs this program: it sets `STACK_FILE`. Throws a `UserError` when there is none. */
export function givenStack(): Stack {
  const file = process.env['STACK_FILE'] ?? ''
  const stack = readStack(dirname(file))
  if (!stack) throw new UserError(`STACK_FILE is "${file}", which is no stack.json: run this program by npm`)
  return stack
}

/** The local certificate authority with its key. The local dispatcher trusts it, so it can sign a receiver's certificate. */
export function readAuthority({ ca_file, ca_key_file }: Pick<Stack, 'ca_file' | 'ca_key_file'>): KeyAndCertificate {
  return { cert: readFileSync(ca_file, 'utf8'), key: readFileSync(ca_key_file, 'utf8') }
}
