import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { runCallers } from '@gateway-tools/load/pacing'

export interface ForkedServer<Address> {
  readonly address: Address
  readonly child: ChildProcess
}

/** A server in another process, so that its work is not on the measured one: `file` is forked with the argument `server`. */
export async function forkServer<Address>(file: string): Promise<ForkedServer<Address>> {
  const child = fork(file, ['server'])
  // Both ends are one file, which sends its own address first.
  const [address] = (await once(child, 'message')) as [Address]
  return { address, child }
}

/** The other end: tells the parent its port and ends with it. */
export async function tellPort(server: Server, addressOf: (port: number) => unknown): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address !== null && typeof address !== 'string') process.send?.(addressOf(address.port))
  process.once('disconnect', () => process.exit())
}

export interface Comparison {
  /** Unit of the calls, such as `requests`. */
  readonly what: string
  readonly concurrency: number
  /** The first one is expected to cost less; the ratio is the second one's cost to its. Each call runs to the answer's end. */
  readonly ways: Readonly<Record<string, () => Promise<unknown>>>
  /** CPU of the measured process so far, in microseconds; this process unless told. */
  readonly cpuUs?: () => number | Promise<number>
}

const ROUND_MS = 1500
const ROUNDS = 4

/** Runs both ways in turn, prints what a call costs each time, and the ratio of the best rounds. */
export async function compare({ what, concurrency, ways, cpuUs = ownCpuUs }: Comparison): Promise<void> {
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, call] of Object.entries(ways)) {
      const before = await cpuUs()
      let calls = 0
      await runCallers({ concurrency, durationMs: ROUND_MS }, async () => {
        await call()
        calls += 1
      })
      const cost = ((await cpuUs()) - before) / calls
      best.set(name, Math.min(best.get(name) ?? Infinity, cost))
      console.log(`${name}: ${Math.round((calls * 1000) / ROUND_MS)} ${what}/s, ${Math.round(cost)} µs of CPU each`)
    }
  }
  const [[cheap, least] = ['', NaN], [dear, most] = ['', NaN]] = [...best]
  console.log(`ratio: ${dear} costs ${(most / least).toFixed(1)} times the CPU of ${cheap}`)
}

export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
