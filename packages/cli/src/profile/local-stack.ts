import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../exit.ts'
import type { Profile } from './profile-file.ts'

/** The seeded merchant of the gateway that `npm start` runs: from `.local/stack.json` here or in a folder above. */
export function readLocalStack(folder: string, env: NodeJS.ProcessEnv): Profile {
  const stack = parse(readNearest(env['STACK_DIR'] ? [resolve(env['STACK_DIR'])] : foldersAbove(folder)))
  const { base_url, network_url, merchant } = stack ?? {}
  if (typeof base_url !== 'string' || typeof network_url !== 'string') throw incomplete()
  if (typeof merchant !== 'object' || merchant === null || !('key_id' in merchant) || !('key_secret' in merchant))
    throw incomplete()
  const { key_id, key_secret } = merchant
  if (typeof key_id !== 'string' || typeof key_secret !== 'string') throw incomplete()
  return { base_url, key_id, key_secret, network_url }
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

function parse(text: string): Partial<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function incomplete(): CliError {
  return new CliError('stack.json does not describe a running gateway: wait until npm start says that it is ready')
}
