/** Secrets and certificate authority of one local stack, made once and kept: with new secrets a stack could not read its data. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCa } from '@gateway/testkit/certificates'
import { writePrivate } from '@gateway-infra/system/private-file'
import { UserError } from '@gateway-infra/system/user-error'

const HOW = {
  /** `<id>:<32 bytes in base64>`: encrypts credentials and webhook secrets at rest. */
  masterKeys: () => `local-1:${randomBytes(32).toString('base64')}`,
  /** The token of each service that calls others. */
  apiGatewayToken: () => randomBytes(32).toString('base64url'),
  paymentStatusToken: () => randomBytes(32).toString('base64url'),
  checkoutToken: () => randomBytes(32).toString('base64url'),
  webhookDispatcherToken: () => randomBytes(32).toString('base64url'),
  ledgerToken: () => randomBytes(32).toString('base64url'),
  networkSimulatorToken: () => randomBytes(32).toString('base64url'),
  /** The password of each service's user on the broker. */
  orderApiBrokerPassword: () => randomBytes(24).toString('base64url'),
  paymentStatusBrokerPassword: () => randomBytes(24).toString('base64url'),
  webhookDispatcherBrokerPassword: () => randomBytes(24).toString('base64url'),
  ledgerBrokerPassword: () => randomBytes(24).toString('base64url'),
  /** The password of compose's broker user `guest`, which only programs on this machine use. */
  brokerAdministratorPassword: () => randomBytes(24).toString('base64url'),
  /** Bearer token of payment-status at the network. */
  networkApiKey: () => randomBytes(32).toString('base64url'),
  /** Key with which the network signs callbacks. */
  networkCallbackSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  /** Key of the MAC in checkout links: 32 bytes in base64. */
  checkoutLinkKey: () => randomBytes(32).toString('base64'),
  /** Key of the hash that stands for a payer in the ledger: 32 bytes in base64. */
  payerHashKey: () => randomBytes(32).toString('base64'),
  authTokenOperatorToken: () => randomBytes(32).toString('base64url'),
  webhookOperatorToken: () => randomBytes(32).toString('base64url'),
  ledgerOperatorToken: () => randomBytes(32).toString('base64url'),
} as const

export type Secrets = Readonly<Record<keyof typeof HOW, string>>

/** Reads `secrets.json` (mode 0600) and generates what is missing. */
export function ensureSecrets(stateDir: string): Secrets {
  const file = join(stateDir, 'secrets.json')
  const kept = readKept(file)
  const secrets = Object.fromEntries(Object.entries(HOW).map(([name, draw]) => [name, kept[name] ?? draw()])) as Secrets
  if (Object.keys(HOW).some((name) => kept[name] === undefined)) writePrivate(file, JSON.stringify(secrets, null, 2))
  return secrets
}

function readKept(file: string): Record<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return {}
  }
  // New secrets in place of a damaged file would make the stack's data unreadable.
  try {
    const parsed: unknown = JSON.parse(text)
    const entries = Object.entries(parsed ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return Object.fromEntries(entries)
  } catch (error) {
    throw new UserError(`${file} cannot be read as JSON (${String(error)}). Restore it, or remove it together with the data.`)
  }
}

export type CaFiles = Awaited<ReturnType<typeof ensureCa>>

/** The stack's own certificate authority in `<state>/ca/`, made at the first start. The local dispatcher trusts it. */
export async function ensureCa(stateDir: string) {
  const files = { certFile: join(stateDir, 'ca/ca.crt'), keyFile: join(stateDir, 'ca/ca.key') }
  if (isPem(files.certFile) && isPem(files.keyFile)) return files
  const ca = await createCa('Payment gateway, local authority')
  writePrivate(files.keyFile, ca.key)
  writePrivate(files.certFile, ca.cert)
  return files
}

function isPem(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').startsWith('-----BEGIN ')
}
