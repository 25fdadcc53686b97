/** The compatibility point: the release that new services must work with. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { EXCHANGED, type Exchanged } from './exchanged.ts'

const FILE = join(import.meta.dirname, 'point.json')

export function readPoint(): Exchanged & { readonly commit: string } {
  // Only `recordPoint` writes the file.
  return JSON.parse(readFileSync(FILE, 'utf8')) as ReturnType<typeof readPoint>
}

/** Makes the present commit the point. @throws when the work tree's messages differ from those of the commit */
export function recordPoint(): string {
  const changed = git('status', '--porcelain', '--', 'packages/contracts', 'tools/compatibility/exchanged.ts')
  if (changed !== '') throw new Error(`commit the changes to messages first:\n${changed}`)
  const commit = git('rev-parse', 'HEAD')
  writeFileSync(FILE, `${JSON.stringify({ commit, ...EXCHANGED }, null, 2)}\n`)
  return commit
}

/** True when the commit is in this clone or can be fetched; a shallow clone has only recent commits. */
export function hasCommit(commit: string): boolean {
  const succeeds = (...args: string[]): boolean => spawnSync('git', args, { cwd: ROOT }).status === 0
  const isHere = (): boolean => succeeds('cat-file', '-e', `${commit}^{commit}`)
  return isHere() || (succeeds('fetch', '--quiet', '--depth', '1', 'origin', commit) && isHere())
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
