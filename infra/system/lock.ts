/**
 * A lock between processes. The kernel releases it when its holder dies: it is a socket in Linux's abstract name space.
 * On other systems it is a socket file in the temporary directory, which is removed when no process answers on it.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Lock {
  release(): void
}

/** Takes the lock; `undefined` when another process holds it. */
export async function tryLock(name: string): Promise<Lock | undefined> {
  const path = socketPath(name)
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    waiting.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => waiting.delete(socket))
  })
  if (!(await listen(server, path))) {
    if (process.platform === 'linux' || (await isAnswered(path))) return undefined
    rmSync(path, { force: true })
    if (!(await listen(server, path))) return undefined
  }
  server.unref()
  return {
    release() {
      server.close()
      for (const socket of waiting) socket.destroy()
    },
  }
}

/** Runs `work` while holding the lock of this name; `onWait` is called once if another process holds it. */
export async function withLock<T>(name: string, work: () => Promise<T>, onWait: () => void = () => undefined): Promise<T> {
  let lock = await tryLock(name)
  if (!lock) onWait()
  while (!lock) {
    await untilReleased(socketPath(name))
    lock = await tryLock(name)
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function socketPath(name: string): string {
  const id = `payment-gateway-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  return process.platform === 'linux' ? `\0${id}` : join(tmpdir(), `${id}.sock`)
}

async function listen(server: Server, path: string): Promise<boolean> {
  server.listen(path)
  return once(server, 'listening').then(
    () => true,
    () => false,
  )
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  return once(socket, 'connect').then(
    () => true,
    () => false,
  )
}

/** Waits for the release: the holder keeps the connection open until it releases the lock or dies. */
async function untilReleased(path: string): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  // A reset is followed by a close, which ends the wait.
  connect(path)
    .on('error', () => undefined)
    .on('close', () => resolve(undefined))
    .resume()
  return promise
}
