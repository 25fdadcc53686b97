/** What the broker has of each partition. */
import { eventually } from '@gateway/testkit'
import type { World } from '../random/world.ts'

const ANSWERS_WITHIN_MS = 60_000

interface QueueOnBroker {
  readonly name: string
  /** Those that a consumer has in hand are counted, too. */
  readonly messages: number
}

interface Binding {
  readonly source_name: string
  readonly destination_name: string
  readonly routing_key: string
}

/** All queues, as the broker lists them once it answers. */
export function listQueues(world: World): Promise<QueueOnBroker[]> {
  return list<QueueOnBroker>(world, 'list_queues', 'name', 'messages')
}

/** The bindings that lead events to partitions from `first` on, each named by its target and routing key. */
export async function listOpenings(world: World, first: number): Promise<string[]> {
  const all = await list<Binding>(world, 'list_bindings', 'source_name', 'destination_name', 'routing_key')
  const ofEvents = all.filter(({ source_name: source }) => /(^|\.)events(\.partitions)?$/u.test(source))
  return ofEvents
    .filter(({ routing_key: name }) => partitionOf({ name }) >= first)
    .map(({ destination_name: target, routing_key: key }) => `${target} by ${key}`)
}

function list<T>(world: World, what: string, ...columns: string[]): Promise<T[]> {
  return eventually(
    // The broker's own JSON.
    async () => JSON.parse(await world.askBroker([what, '--silent', '--formatter', 'json', ...columns])) as T[],
    { deadlineMs: ANSWERS_WITHIN_MS, pauseMs: 500 },
  )
}

/** The partition of a queue or routing key, whose name ends in `.<partition>` from partition 1 on; else 0. */
export function partitionOf({ name }: Pick<QueueOnBroker, 'name'>): number {
  return Number(/\.(\d+)$/u.exec(name)?.[1] ?? 0)
}
