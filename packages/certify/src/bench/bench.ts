import type { Effect } from '../judge.ts'
import type { Transcript } from '../transcript.ts'
import { createDelivering, type Delivering } from './delivering.ts'
import { createOpening, type Opening } from './opening.ts'
import { pause, type World } from './world.ts'

/** The tools of one check. Its transcript has every exchange. No other check uses the orders that it opens. */
export interface Bench extends Pick<World, 'probe' | 'proxy' | 'timing' | 'secret'>, Opening, Delivering {
  readonly orderIds: ReadonlySet<string>
  /** `undefined` without a probe. */
  effectOn(orderId: string): Promise<Effect | undefined>
  /** Throws when the run has ended. */
  pause(ms: number): Promise<void>
}

export function createBench(world: World, transcript: Transcript): Bench {
  const orderIds = new Set<string>()
  const { probe, proxy, timing, secret, signal } = world
  return {
    probe,
    proxy,
    timing,
    secret,
    orderIds,
    effectOn: async (orderId) => probe?.effectOn(orderId),
    pause: (ms) => pause(ms, signal),
    ...createOpening(world, transcript, orderIds),
    ...createDelivering(world, transcript),
  }
}
