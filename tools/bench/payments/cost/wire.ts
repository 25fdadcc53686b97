import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { CpuGroup } from '../cpu.ts'
import type { Counters } from './counters.ts'
import { parseSockets, type Socket } from './sockets.ts'

const execute = promisify(execFile)
const SHOW = ['--tcp', '--info', '--numeric', '--processes', '--no-header', '--oneline']
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** Bytes between the processes of the stack, by `<who connects> → <whom>` and the way back. */
export interface Wire {
  /** Looks at all connections. One that is used no more rests for seconds before it closes: within those it must be looked at. */
  sample(): Promise<void>
  readonly totals: Counters
}

/** `undefined` where there is no `ss`. */
export async function watchWire(groups: readonly CpuGroup[]): Promise<Wire | undefined> {
  const listening = await show('listening').catch(() => undefined)
  if (!listening) return undefined
  const nameOf = new Map(groups.map(({ name, pid }) => [pid, name]))
  const servers = new Map(listening.map(({ localPort, pid }) => [localPort, nameOf.get(pid)]))
  const open = new Map<string, Socket>()
  const totals: Record<string, number> = {}

  function count(client: string, server: string, socket: Socket): void {
    const key = `${socket.localPort}-${socket.peerPort}`
    const before = open.get(key)
    // Less than before is another connection from the same port.
    const isSame = before !== undefined && before.sentBytes <= socket.sentBytes && before.receivedBytes <= socket.receivedBytes
    const [there, back] = [`${client} → ${server}`, `${client} ← ${server}`]
    totals[there] = (totals[there] ?? 0) + socket.sentBytes - (isSame ? before.sentBytes : 0)
    totals[back] = (totals[back] ?? 0) + socket.receivedBytes - (isSame ? before.receivedBytes : 0)
    open.set(key, socket)
  }

  return {
    async sample() {
      for (const socket of await show('established')) {
        const [client, server] = [nameOf.get(socket.pid), servers.get(socket.peerPort)]
        // Each connection is shown by both of its ends: the one that listens is left out.
        if (client !== undefined && server !== undefined && !servers.has(socket.localPort)) count(client, server, socket)
      }
    },
    totals,
  }
}

async function show(state: 'listening' | 'established'): Promise<Socket[]> {
  const { stdout } = await execute('ss', [...SHOW, 'state', state], { maxBuffer: MAX_OUTPUT_BYTES })
  return parseSockets(stdout)
}
