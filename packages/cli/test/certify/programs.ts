import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@gateway/testkit'
import type { Credentials } from '@gateway/sdk'
import type { Shown } from './certify-shop.ts'

/** Shops that run as separate programs: a command with its arguments. */
export const PROGRAMS = {
  reference: [process.execPath, join(import.meta.dirname, '../../../../examples/shop/shop.ts')],
  python: ['python3', join(import.meta.dirname, 'receiver.py')],
} as const

/** Starts one; certify waits until it answers. Its output is discarded. */
export async function startProgram(
  [command, file]: readonly [string, string],
  { baseUrl, credentials, secret }: { baseUrl: string; credentials: Credentials; secret: string },
): Promise<Shown> {
  const port = await freePort()
  const { key_id: KEY_ID, key_secret: KEY_SECRET } = credentials
  const env = { PATH: process.env['PATH'], BASE_URL: baseUrl, KEY_ID, KEY_SECRET, WEBHOOK_SECRET: secret, PORT: String(port) }
  const child = spawn(command, [file], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** The reason why the Python receiver cannot run on this machine; `undefined` when it can. */
export function whyNoPython(): string | undefined {
  const { status, error } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
  if (error) return `python3 is missing: ${error.message}`
  return status === 0 ? undefined : 'python3 is older than 3.9'
}
