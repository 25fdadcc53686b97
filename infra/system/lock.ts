/**
 * A lock between processes. The kernel releases it when its holder dies: it is a socket in Linux's abstract name space.
 * On other systems it is a socket file in the temporary directory, which is removed when no process answers on it.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 100

/** Takes the lock; `undefined` when another process holds it. */
export async function tryLock(name: string): Promise<{ release(): void } | undefined> {
  const id = `payment-gateway-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  const path = process.platform === 'linux' ? `\0${id}` : join(tmpdir(), `${id}.sock`)
  const server = createServer((socket) => socket.destroy())
  const takes = async (): Promise<boolean> => happens(server.listen(path), 'listening')
  if (!(await takes())) {
    if (process.platform === 'linux' || (await happens(connect(path), 'connect'))) return undefined
    rmSync(path, { force: true })
    if (!(await takes())) return undefined
  }
  server.unref()
  return { release: () => void server.close() }
}

/** Runs `work` while holding the lock of this name; `onWait` is called once if another process holds it. */
export async function withLock<T>(name: string, work: () => Promise<T>, onWait: () => void = () => undefined): Promise<T> {
  let lock = await tryLock(name)
  if (!lock) onWait()
  while (!lock) {
    await delay(POLL_MS)
    lock = await tryLock(name)
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Resolves to false when an error comes first. */
async function happens(emitter: NodeJS.EventEmitter, event: string): Promise<boolean> {
  return once(emitter, event).then(
    () => true,
    () => false,
  )
}
