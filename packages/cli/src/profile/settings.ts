import { Gateway } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { VERSION } from '../version.ts'
import { readProfile, type Profile } from './profile-file.ts'

/** The options that every command has. */
export interface GlobalFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly keyId?: string
  readonly networkUrl?: string
  readonly json?: boolean
}

/** A value, and where it came from. */
export interface Setting {
  readonly value: string
  readonly from: 'flag' | 'environment' | 'profile'
}

export type Settings = ReturnType<typeof readSettings>

/** A flag wins over the environment, which wins over the profile. Secrets have no flag: the list of processes would show them. */
export function readSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv) {
  const name = flags.profile ?? env['PGW_PROFILE'] ?? 'default'
  const profile = readProfile(name, env)
  const keyId = firstOf(flags.keyId, env['PGW_KEY_ID'], profile?.key_id)
  return {
    profile: name,
    baseUrl: firstOf(flags.baseUrl, env['PGW_BASE_URL'], profile?.base_url),
    keyId,
    keySecret: firstOf(undefined, env['PGW_KEY_SECRET'], secretFor(keyId, profile)),
    networkUrl: firstOf(flags.networkUrl, env['PGW_NETWORK_URL'], profile?.network_url),
  }
}

/** A profile's secret belongs to its own key only, and live secrets come from the environment only. */
function secretFor(keyId: Setting | undefined, profile: Profile | undefined): string | undefined {
  return keyId && keyId.value === profile?.key_id && !isLive(keyId.value) ? profile.key_secret : undefined
}

/** A value from a file or a command often ends with a line break. */
function firstOf(flag: string | undefined, environment: string | undefined, profile: string | undefined): Setting | undefined {
  const given = { flag, environment, profile }
  for (const from of ['flag', 'environment', 'profile'] as const) {
    const value = given[from]?.trim() ?? ''
    if (value !== '') return { value, from }
  }
  return undefined
}

export function isLive(keyId: string): boolean {
  return keyId.startsWith('key_live_')
}

/** Throws before anything is sent with a live key that belongs to the sandbox. */
export function requireSandbox({ keyId }: Settings): void {
  if (keyId && isLive(keyId.value)) throw new CliError('This command is for the sandbox: it takes no live key')
}

/** Throws when an address or a credential is missing. */
export function connect({ baseUrl, keyId, keySecret, profile }: Settings): Gateway {
  if (!baseUrl && !keyId) throw new CliError('You are not logged in: run pgw login', EXIT.authentication)
  if (!baseUrl) throw new CliError('No address of the gateway: run pgw login, or set PGW_BASE_URL')
  if (!keyId) throw new CliError(`No credential in profile ${profile}: run pgw login, or set PGW_KEY_ID`, EXIT.authentication)
  if (!keySecret) {
    const how = isLive(keyId.value) ? 'live secrets come from PGW_KEY_SECRET only' : 'run pgw login, or set PGW_KEY_SECRET'
    throw new CliError(`No secret for ${keyId.value}: ${how}`, EXIT.authentication)
  }
  return new Gateway({
    baseUrl: baseUrl.value,
    credentials: { key_id: keyId.value, key_secret: keySecret.value },
    appInfo: { name: 'pgw', version: VERSION },
  })
}
