/** Only one command at a time runs services in a state directory; other commands can name it, and end what it left when killed. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from '@gateway-infra/system/lock'
import { writePrivate } from '@gateway-infra/system/private-file'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { identify, isRunning, type ProcessIdentity } from '@gateway-infra/system/processes'
import { UserError } from '@gateway-infra/system/user-error'
import { removeContainers } from './backing/docker.ts'

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
  try {
    const holder = JSON.parse(readFileSync(join(stateDir, FILE), 'utf8')) as Holder & ProcessIdentity
    return isRunning(holder) ? holder : undefined
  } catch {
    return undefined
  }
}

/** Ends every process and container that a killed supervisor of this state directory left running; resolves to their names. */
export async function endAllLeftovers(stateDir: string): Promise<string[]> {
  const services = await openProcessBook(stateDir, 'services').endLeftovers()
  const backing = await openProcessBook(stateDir, 'backing').endLeftovers()
  return [...services, ...backing, ...(await removeContainers(stateDir))]
}

/** Names of the processes that a killed supervisor of this state directory left running. */
export function listLeftovers(stateDir: string): string[] {
  return (['services', 'backing'] as const).flatMap((kind) => openProcessBook(stateDir, kind).running()).map(({ name }) => name)
}
