import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'

const TIMEOUT_MS = 300_000

/** Runs a program to its end; resolves to what it printed. Throws with all that it printed when it fails. */
export function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const { NODE_OPTIONS: _options, ...own } = process.env
  const options = { cwd, env: { ...own, NO_COLOR: '1', ...env }, encoding: 'utf8', timeout: TIMEOUT_MS } as const
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${String(status)}\n${stdout}${stderr}`)
  return stdout
}

/** Packs one of our packages. The tarball's path. */
export function pack(name: 'sdk' | 'cli', folder: string): string {
  const tarball = join(folder, `${name}.tgz`)
  run('pnpm', ['pack', '--out', tarball], join(ROOT, 'packages', name))
  return tarball
}
