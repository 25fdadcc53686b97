import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@gateway-infra/local/services'
import type { Log } from '@gateway-infra/system/progress'
import { randomStream } from '@gateway/simulation/kernel/random'
import { eventually } from '@gateway/testkit'
import type { World } from '../random/world.ts'
import { createTurns, killUntil } from './kills.ts'
import { listQueues, partitionOf } from './on-broker.ts'
import { createOperator } from './operator.ts'

export interface ChangeOptions {
  readonly seed: number
  readonly isQuick: boolean
  readonly log: Log
}

const PUBLISHERS: readonly ServiceName[] = ['order-api', 'payment-status']
const ALL_USED_WITHIN_MS = 60_000

/**
 * Takes the fleet from one partition to four and to two, as docs/operations/partitions.md tells operators, while replicas, the
 * broker and the operator's command are killed. Resolves with the number of kills when everything serves again.
 */
export async function changePartitions(world: World, { seed, isQuick, log }: ChangeOptions) {
  const { fleet } = world
  const turns = createTurns()
  const operator = createOperator(fleet, seed, log)
  const random = randomStream(seed, 'publishers')
  /** How long publishers of both numbers run at once, and how long all have the same. */
  const dwell = () => sleep(isQuick ? random.between(300, 1500) : random.between(4000, 12_000))

  /** Restarts replica `number` of each publisher with another number of partitions. */
  async function configure(number: number, partitions: number): Promise<void> {
    for (const replica of fleet.replicas.filter((one) => one.number === number && PUBLISHERS.includes(one.service))) {
      await turns(replica, async () => {
        log(`restart ${replica.service} ${number} with QUEUE_PARTITIONS=${partitions}`)
        replica.configure({ QUEUE_PARTITIONS: String(partitions) })
        await replica.stop()
        await replica.start()
        await fleet.untilServing(replica)
      })
      await dwell()
    }
  }

  /** Pauses the ledger until messages wait in every partition: publishers use all of them. Throws when they do not. */
  async function expectAllUsed(partitions: number): Promise<void> {
    const ledgers = fleet.replicas.filter(({ service }) => service === 'ledger')
    const look = async (): Promise<void> => {
      const waiting = (await listQueues(world)).filter(({ name, messages }) => name.includes('ledger.events') && messages > 0)
      const used = new Set(waiting.map(partitionOf))
      if (used.size < partitions) throw new Error(`of ${partitions} partitions only ${[...used].join(', ')} have messages`)
    }
    const pauseAndLook = async (): Promise<void> => {
      log('pause the ledger until messages wait in every partition')
      for (const ledger of ledgers) ledger.pause()
      await eventually(look, { deadlineMs: ALL_USED_WITHIN_MS, pauseMs: 500 }).finally(() => {
        for (const ledger of ledgers) ledger.resume()
      })
    }
    // No replica of it is killed meanwhile.
    await ledgers.reduce((work, ledger) => () => turns(ledger, work), pauseAndLook)()
  }

  async function operate(): Promise<void> {
    await operator.interrupt(4)
    if (!isQuick) await operator.change(1)
    await operator.interrupt(4)
    await operator.change(4)
    await configure(1, 4)
    await configure(2, 4)
    await expectAllUsed(4)
    await configure(1, 2)
    await operator.expectRefusal(2)
    await configure(2, 2)
    await operator.interrupt(2)
    await operator.interrupt(2)
    await operator.change(2)
    await dwell()
  }

  const stop = new AbortController()
  const [killed] = await Promise.all([
    killUntil(stop.signal, { seed, world, turns, rests: operator.hasWaited, log }),
    operate().finally(() => stop.abort()),
  ])
  await Promise.all(fleet.replicas.map((replica) => fleet.untilServing(replica)))
  return { ...killed, commands: operator.killed() }
}
