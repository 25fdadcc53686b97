/** Only one command at a time runs services in a state directory; other commands can name it. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from '@gateway-infra/system/lock'
import { writePrivate } from '@gateway-infra/system/private-file'
import { identify, isRunning, type ProcessIdentity } from '@gateway-infra/system/process-identity'
import { UserError } from '@gateway-infra/system/user-error'

export interface Holder {
  readonly command: string
  /** Empty when the command has no HTTP address. */
  readonly baseUrl: string
}

const FILE = 'supervisor.json'

/** Runs `work` while holding the lock. Throws a `UserError` that names the process which holds it. */
export async function withStateLock<T>(stateDir: string, holder: Holder, work: () => Promise<T>): Promise<T> {
  const lock = await tryLock(stateDir)
  if (!lock) {
    const other = readHolder(stateDir)
    const who = other ? `${other.command}, pid ${other.pid}${other.baseUrl === '' ? '' : `, ${other.baseUrl}`}` : 'starting'
    throw new UserError(`A stack is already running here (${who}). "npm stop" ends it.`)
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

/** The process that holds the lock of this state directory, if it is alive. */
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
