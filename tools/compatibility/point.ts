import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EXCHANGED, type Exchanged } from './exchanged.ts'

/** The release that new services must work with: its commit, and what it exchanged. */
export interface Point extends Exchanged {
  readonly commit: string
}

const FILE = fileURLToPath(new URL('point.json', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export function readPoint(): Point {
  // Only `recordPoint` writes it.
  return JSON.parse(readFileSync(FILE, 'utf8')) as Point
}

/** The present commit becomes the point; what is exchanged in the work tree must be that commit's. */
export function recordPoint(): string {
  const changed = git('status', '--porcelain', '--', 'packages/contracts', 'tools/compatibility/exchanged.ts')
  if (changed !== '') throw new Error(`commit what is exchanged first:\n${changed}`)
  const commit = git('rev-parse', 'HEAD')
  writeFileSync(FILE, `${JSON.stringify({ commit, ...EXCHANGED }, null, 2)}\n`)
  return commit
}

/** True when the commit is in this clone, or can be fetched; a shallow clone has few. */
export function hasCommit(commit: string): boolean {
  const isThere = (): boolean => succeeds(() => git('cat-file', '-e', `${commit}^{commit}`))
  return isThere() || (succeeds(() => git('fetch', '--quiet', '--depth', '1', 'origin', commit)) && isThere())
}

/** The files of a commit, in a folder that is there. */
export function extract(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
