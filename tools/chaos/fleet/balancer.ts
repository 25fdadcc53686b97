import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Balances the replicas of one service as a Kubernetes Service does: each new connection goes to the next ready replica, bytes are
 * passed on unchanged, and nothing is sent twice. A connection that a replica refuses is lost.
 */
export interface Balancer {
  /** Replicas that get new connections. */
  readonly ready: readonly Backend[]
  stop(): Promise<void>
}

export interface Backend {
  readonly port: number
}

const LOOK_EVERY_MS = 250
const LOOK_TIMEOUT_MS = 2000
/** A replica that does not answer this often in a row gets no more connections. */
const MAX_SILENCES = 3

export async function startBalancer(port: number, backends: readonly Backend[]): Promise<Balancer> {
  const ready = new Set<Backend>()
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const candidates = backends.filter((backend) => ready.has(backend))
    const backend = candidates[turn++ % Math.max(candidates.length, 1)]
    if (!backend) {
      client.resetAndDestroy()
      return
    }
    join(client, connect(backend.port, '127.0.0.1'), open)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  const stopping = new AbortController()
  const watching = backends.map(async (backend) => {
    for (let silences = 0; !stopping.signal.aborted;) {
      const answer = await askReady(backend)
      silences = answer === 'silent' ? silences + 1 : 0
      if (answer === 'yes') ready.add(backend)
      else if (answer === 'no' || silences >= MAX_SILENCES) ready.delete(backend)
      await pause(stopping.signal)
    }
  })
  return {
    get ready() {
      return [...ready]
    },
    async stop() {
      stopping.abort()
      for (const socket of open) socket.destroy()
      server.close()
      await Promise.all(watching)
    },
  }
}

/** Passes bytes on in both directions; bytes that one end sent before it ended reach the other. */
function join(client: Socket, backend: Socket, open: Set<Socket>): void {
  const pairs = [
    [client, backend],
    [backend, client],
  ] as const
  for (const [one, other] of pairs) {
    open.add(one)
    one.setNoDelay(true)
    one.on('error', () => other.resetAndDestroy())
    one.on('close', () => {
      open.delete(one)
      if (!other.writableEnded) other.end()
    })
    one.pipe(other)
  }
}

async function askReady({ port }: Backend): Promise<'yes' | 'no' | 'silent'> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) })
    await answer.body?.cancel()
    return answer.status === 200 ? 'yes' : 'no'
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'no'
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_EVERY_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
