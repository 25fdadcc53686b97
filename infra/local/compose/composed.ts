/** Finds the stack that `docker compose` runs from this checkout. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { readStack, writeStack } from '../stack-file.ts'
import { run } from '@gateway-infra/system/run'

const COMPOSE = ['compose', '--project-directory', ROOT]
const ANSWERS_WITHIN_MS = 15_000

/** The folder for the files copied from the stack; each compose project has its own. */
export function composedFolder({ paths, env }: Pick<Context, 'paths' | 'env'>): string {
  return join(paths.stateDir, 'compose', env['COMPOSE_PROJECT_NAME'] ?? 'payment-gateway')
}

/** Copies `stack.json`, CA and secrets of the running stack into a folder; `undefined` when none runs. */
export async function findComposed({ paths, env }: Pick<Context, 'paths' | 'env'>): Promise<string | undefined> {
  const options = { timeoutMs: ANSWERS_WITHIN_MS }
  const running = ['ps', '--status', 'running', '--quiet', 'seed']
  const container = (await run('docker', [...COMPOSE, ...running], options).catch(() => '')).trim()
  if (!/^[0-9a-f]{12,}$/u.test(container)) return undefined

  const folder = composedFolder({ paths, env })
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await run('docker', ['cp', `${container}:/state/.`, folder], options)
  const stack = readStack(folder)
  if (!stack) return undefined
  // The paths in the file are the container's.
  writeStack(folder, { ...stack, ca_file: join(folder, 'ca/ca.crt'), ca_key_file: join(folder, 'ca/ca.key') })
  return folder
}
