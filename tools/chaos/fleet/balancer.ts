import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export type Balancer = Awaited<ReturnType<typeof startBalancer>>

const LOOK_EVERY_MS = 250
const LOOK_TIMEOUT_MS = 2000
/** A replica that does not answer this often in a row gets no more connections. */
const MAX_SILENCES = 3

/**
 * Balances the replicas of one service as a Kubernetes Service does: each new connection goes to the next ready replica, bytes are
 * passed on unchanged, and nothing is sent twice. A connection that a replica refuses is lost. `backends` are the replicas' ports.
 */
export async function startBalancer(port: number, backends: readonly number[]) {
  const ready = new Set<number>()
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const candidates = backends.filter((backend) => ready.has(backend))
    const backend = candidates[turn++ % Math.max(candidates.length, 1)]
    if (backend === undefined) client.resetAndDestroy()
    else {
      const socket = connect({ port: backend, host: '127.0.0.1', noDelay: true })
      open.add(socket)
      // Each end gets all that the other sent before it ended; an error of one destroys both.
      pipeline(client.setNoDelay(true), socket, client, () => open.delete(socket))
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  const stopping = new AbortController()
  const { signal } = stopping
  const watching = backends.map(async (backend) => {
    for (let silences = 0; !signal.aborted;) {
      const answer = await askReady(backend)
      silences = answer === 'silent' ? silences + 1 : 0
      if (answer === 'yes') ready.add(backend)
      else if (answer === 'no' || silences >= MAX_SILENCES) ready.delete(backend)
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  })
  return {
    /** Whether the replica on this port gets new connections. */
    isServing: (backend: number) => ready.has(backend),
    async stop(): Promise<void> {
      stopping.abort()
      for (const socket of open) socket.destroy()
      server.close()
      await Promise.all(watching)
    },
  }
}

async function askReady(port: number): Promise<'yes' | 'no' | 'silent'> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) })
    await answer.body?.cancel()
    return answer.status === 200 ? 'yes' : 'no'
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'no'
  }
}
