/** One command at a time runs services in a state directory, and the others can say which one it is. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from '@gateway-infra/system/lock'
import { writePrivate } from '@gateway-infra/system/private-file'
import { identify, isRunning, type ProcessIdentity } from '@gateway-infra/system/process-identity'
import { UserError } from '@gateway-infra/system/user-error'

export interface Holder {
  readonly command: string
  /** Empty when the command serves nothing. */
  readonly baseUrl: string
}

const FILE = 'supervisor.json'

/** Runs `work` as the only one. Throws `UserError`, naming the other process, when there is one. */
export async function withStateLock<T>(stateDir: string, holder: Holder, work: () => Promise<T>): Promise<T> {
  const lock = await tryLock(stateDir)
  if (!lock) {
    const other = readHolder(stateDir)
    const who = other ? `${other.command}, pid ${other.pid}${other.baseUrl === '' ? '' : `, ${other.baseUrl}`}` : 'just starting'
    throw new UserError(`One is running already (${who}). "npm stop" ends it.`)
  }
  const file = join(stateDir, FILE)
  writePrivate(file, JSON.stringify({ ...identify(process.pid), ...holder }, null, 2))
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
    lock.release()
  }
}

/** Who runs in this state directory, if that very process is alive. */
export function readHolder(stateDir: string): (Holder & ProcessIdentity) | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(join(stateDir, FILE), 'utf8'))
  } catch {
    return undefined
  }
  return isHolder(parsed) && isRunning(parsed) ? parsed : undefined
}

function isHolder(value: unknown): value is Holder & ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startedAt, command, baseUrl } = value as Partial<Record<keyof (Holder & ProcessIdentity), unknown>>
  return typeof pid === 'number' && [startedAt, command, baseUrl].every((text) => typeof text === 'string')
}
