import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@gateway-infra/local/services'
import type { Log } from '@gateway-infra/system/progress'
import { randomStream } from '@gateway/simulation/kernel/random'
import type { Replica } from '../fleet/fleet.ts'
import type { World } from '../random/world.ts'

const BROKER = 'rabbitmq'
/** Each is killed once, in a drawn order, before any is killed again. */
const VICTIMS = ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger', BROKER] as const satisfies readonly (
  ServiceName | typeof BROKER
)[]
const PAUSE_MS = [500, 4000] as const
const DOWN_MS = [0, 3000] as const

export interface KillOptions {
  readonly seed: number
  readonly world: World
  readonly turns: Turns
  /** While true, nothing is killed. */
  readonly rests: () => boolean
  readonly log: Log
}

/** Kills a replica or the broker (SIGKILL) again and again until `stop`. Resolves with the number of each. */
export async function killUntil(stop: AbortSignal, { seed, world, turns, rests, log }: KillOptions) {
  const { fleet } = world
  const random = randomStream(seed, 'kills')
  const killed = { services: 0, brokers: 0 }
  const pause = async (): Promise<void> => {
    await sleep(random.between(...PAUSE_MS), undefined, { signal: stop }).catch(() => undefined)
  }
  let victims: (typeof VICTIMS)[number][] = []
  for (;;) {
    await pause()
    if (stop.aborted) return killed
    if (rests()) continue
    if (victims.length === 0) victims = [...VICTIMS]
    const [victim] = victims.splice(random.whole(victims.length), 1)
    if (victim === undefined) continue
    if (victim === BROKER) {
      if (!world.killEngine(BROKER)) continue
      log('kill the broker')
      killed.brokers += 1
      continue
    }
    const replica = random.pick(fleet.replicas.filter(({ service }) => service === victim))
    const downMs = random.between(...DOWN_MS)
    await turns(replica, async () => {
      log(`kill ${victim} ${replica.number} for ${downMs} ms`)
      await replica.kill()
      killed.services += 1
      await sleep(downMs)
      await replica.start()
      await fleet.untilServing(replica)
    })
  }
}

type Turns = ReturnType<typeof createTurns>

/** Work on one replica waits for earlier work on it. */
export function createTurns() {
  const last = new Map<Replica, Promise<unknown>>()
  return (replica: Replica, work: () => Promise<void>): Promise<void> => {
    const turn = (last.get(replica) ?? Promise.resolve()).then(work)
    last.set(
      replica,
      turn.catch(() => undefined),
    )
    return turn
  }
}
