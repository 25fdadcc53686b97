import { setTimeout as sleep } from 'node:timers/promises'
import { describeFault, type Fault } from './plan.ts'
import type { Receivers } from './receivers.ts'
import type { World } from './world.ts'

/** Carries the plan out. Resolves with the number of faults when all have ended and every replica serves again. */
export async function execute(
  faults: readonly Fault[],
  world: World,
  receivers: Receivers,
  log: (line: string) => void,
): Promise<number> {
  const startedMs = performance.now()
  /** Replicas that a fault holds. */
  const busy = new Set<string>()
  let made = 0
  await Promise.all(
    faults.map(async (fault) => {
      await sleep(Math.max(fault.atMs - (performance.now() - startedMs), 0))
      const held = 'service' in fault ? `${fault.service} ${fault.replica}` : ''
      if (busy.has(held)) return
      if (held !== '') busy.add(held)
      made += 1
      log(describeFault(fault))
      await carryOut(fault, world, receivers)
      busy.delete(held)
    }),
  )
  await Promise.all(world.fleet.replicas.map(async (replica) => world.fleet.untilServing(replica)))
  return made
}

async function carryOut(fault: Fault, world: World, receivers: Receivers): Promise<void> {
  switch (fault.kind) {
    case 'kill':
    case 'stop':
    case 'pause': {
      const replica = world.fleet.replicas.find(({ service, number }) => service === fault.service && number === fault.replica)
      if (!replica) throw new Error(`there is no ${fault.service} ${fault.replica}`)
      if (fault.kind === 'pause') replica.pause()
      else await (fault.kind === 'kill' ? replica.kill() : replica.stop())
      await sleep(fault.forMs)
      if (fault.kind === 'pause') replica.resume()
      else await replica.start()
      return
    }
    case 'cut':
    case 'freeze':
    case 'slow': {
      const link = world.linkOf(fault.link)
      if (fault.kind === 'slow') link.slow(fault.delayMs)
      else link[fault.kind]()
      await sleep(fault.forMs)
      link.restore()
      return
    }
    case 'kill engine':
      world.killEngine(fault.engine)
      return
    case 'receiver hangs':
    case 'receiver fails':
      receivers.mode = fault.kind === 'receiver hangs' ? 'hang' : 'fail'
      await sleep(fault.forMs)
      receivers.mode = 'answer'
  }
}
