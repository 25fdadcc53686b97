import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { RUN_LABEL } from '../leftovers.ts'
import { given } from './containers.ts'

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs an image until it exits: without a network, read-only and without privileges. */
export async function runImage(image: string, env: Record<string, string>, command: readonly string[] = []): Promise<Ended> {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const restrictions = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges:true', '--network=none']
  return docker([
    'run',
    '--rm',
    `--label=${RUN_LABEL}=${given('CONTAINERS_RUN')}`,
    ...restrictions,
    ...variables,
    image,
    ...command,
  ])
}

/** Resolves to the program's whole output and exit code. */
export async function docker(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn('docker', args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
