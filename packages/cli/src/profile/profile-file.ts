import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fieldsOf } from '@gateway/certify/json'
import { CliError } from '../exit.ts'

/** What `pgw login` keeps: the sandbox credential of one merchant. */
export interface Profile {
  readonly base_url: string
  readonly key_id: string
  readonly key_secret: string
  /** Where the sandbox's UPI app is. */
  readonly network_url?: string
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/u

/** `$XDG_CONFIG_HOME/pgw/<name>.json`. */
export function profilePath(name: string, env: NodeJS.ProcessEnv): string {
  if (!NAME.test(name)) throw new CliError(`A profile's name is 1 to 32 lower-case letters, digits, - or _: ${name}`)
  return join(profileFolder(env), `${name}.json`)
}

function profileFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'pgw')
}

/** `undefined` when there is no such profile. Throws when others may read it, or when it is no profile. */
export function readProfile(name: string, env: NodeJS.ProcessEnv): Profile | undefined {
  const file = profilePath(name, env)
  let text: string
  try {
    refuseLoose(profileFolder(env), '700')
    refuseLoose(file, '600')
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const profile = fieldsOf(text)
  if (!isProfile(profile)) throw new CliError(`${file} is not a profile: run pgw login again`)
  return profile
}

/** Atomic, and with mode 0600 in a folder with mode 0700 from the moment of their creation. */
export function writeProfile(name: string, profile: Profile, env: NodeJS.ProcessEnv): string {
  const file = profilePath(name, env)
  mkdirSync(profileFolder(env), { recursive: true, mode: 0o700 })
  refuseLoose(profileFolder(env), '700')
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const descriptor = openSync(part, 'wx', 0o600)
    try {
      writeSync(descriptor, `${JSON.stringify(profile, null, 2)}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  return file
}

function refuseLoose(path: string, mode: '600' | '700'): void {
  // Windows has no such modes.
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return
  throw new CliError(`Others may read ${path}, so it is not used: chmod ${mode} ${path}`)
}

function isProfile(fields: object): fields is Profile {
  const { base_url, key_id, key_secret }: Partial<Record<string, unknown>> = { ...fields }
  return [base_url, key_id, key_secret].every((field) => typeof field === 'string' && field !== '')
}

/** The seeded merchant of the gateway that `npm start` runs: from `.local/stack.json` here or in a folder above. */
export function readLocalStack(folder: string, env: NodeJS.ProcessEnv): Profile {
  const { base_url, network_url, merchant } = fieldsOf(
    readNearest(env['STACK_DIR'] ? [resolve(env['STACK_DIR'])] : foldersAbove(folder)),
  )
  const profile = { ...(typeof merchant === 'object' ? merchant : {}), base_url }
  if (!isProfile(profile) || typeof network_url !== 'string')
    throw new CliError('stack.json does not describe a running gateway: wait until npm start says that it is ready')
  return { base_url: profile.base_url, key_id: profile.key_id, key_secret: profile.key_secret, network_url }
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return [join(folder, '.local'), ...(above === folder ? [] : foldersAbove(above))]
}

function readNearest(folders: readonly string[]): string {
  for (const folder of folders)
    try {
      return readFileSync(join(folder, 'stack.json'), 'utf8')
    } catch {
      continue
    }
  throw new CliError(
    'There is no .local/stack.json here or above: start the gateway with npm start, and run pgw login --local in its folder',
  )
}
