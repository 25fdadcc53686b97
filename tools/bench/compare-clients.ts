/** What two HTTP clients cost the process that uses them, side by side; shared by the benchmarks of both hot paths. */

const ROUND_MS = 1500
const ROUNDS = 2

/** One call of a client, to its answer's end. */
export type Call = () => Promise<unknown>

/** Runs both clients with so many calls at once, prints what each costs, and the ratio of their best rounds. */
export async function compareClients(what: string, connections: number, clients: { undici: Call; axios: Call }): Promise<void> {
  const undiciUs = await bestOf('undici', what, connections, clients.undici)
  const axiosUs = await bestOf('axios, keep-alive', what, connections, clients.axios)
  console.log(`ratio: axios costs ${(axiosUs / undiciUs).toFixed(1)} times the CPU of undici`)
}

async function bestOf(name: string, what: string, connections: number, call: Call): Promise<number> {
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const { calls, cpuUsPerCall } = await measure(connections, call)
    best = Math.min(best, cpuUsPerCall)
    console.log(`${name}: ${Math.round((calls * 1000) / ROUND_MS)} ${what}/s, ${Math.round(cpuUsPerCall)} µs of CPU each`)
  }
  return best
}

async function measure(connections: number, call: Call): Promise<{ calls: number; cpuUsPerCall: number }> {
  let calls = 0
  const endsAt = performance.now() + ROUND_MS
  const before = process.cpuUsage()
  const caller = async () => {
    while (performance.now() < endsAt) {
      await call()
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  const { user, system } = process.cpuUsage(before)
  return { calls, cpuUsPerCall: (user + system) / calls }
}
