/**
 * A lock between processes that the kernel gives back when its holder dies, however it dies: a socket in Linux's abstract
 * name space. Elsewhere it is a socket file in the temporary directory, removed when nobody answers on it.
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

/** `undefined` when another process holds it. */
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

/** Runs `work` alone among all processes that use this name; `onWait` is called once when somebody else is first. */
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

/** The holder keeps the connection open; it closes when the lock is released or its holder is gone. */
async function untilReleased(path: string): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  // A reset is as good an end as a close, which follows it.
  connect(path)
    .on('error', () => undefined)
    .on('close', () => resolve(undefined))
    .resume()
  return promise
}
