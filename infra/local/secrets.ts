/** Secrets of one local stack: drawn once and kept, since a stack with other secrets could not read its own data. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '@gateway-infra/system/private-file'
import { UserError } from '@gateway-infra/system/user-error'

const HOW = {
  /** `<id>:<32 bytes in base64>`: encrypts credentials and webhook secrets at rest. */
  masterKeys: () => `local-1:${randomBytes(32).toString('base64')}`,
  /** What services show to one another. */
  internalApiToken: () => randomBytes(32).toString('base64url'),
  /** What `payment-status` shows to the network. */
  networkApiKey: () => randomBytes(32).toString('base64url'),
  /** Signs callbacks of the network. */
  networkCallbackSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  /** Makes checkout links unguessable: 32 bytes in base64. */
  checkoutLinkKey: () => randomBytes(32).toString('base64'),
  authTokenOperatorToken: () => randomBytes(32).toString('base64url'),
  webhookOperatorToken: () => randomBytes(32).toString('base64url'),
} as const

export type Secrets = Readonly<Record<keyof typeof HOW, string>>

/** Reads `secrets.json` (mode 0600); draws what is not in it yet. */
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
  // Drawing new ones over a damaged file would lock the stack out of its own data for good.
  try {
    const parsed: unknown = JSON.parse(text)
    const entries = Object.entries(parsed ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return Object.fromEntries(entries)
  } catch (error) {
    throw new UserError(`${file} cannot be read as JSON (${String(error)}). Restore it, or remove it together with the data.`)
  }
}
