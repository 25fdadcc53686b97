/** Containers, networks and volumes that a run left on the engine, found by the run's label. */
import { RUN_LABEL } from './run-label.ts'
import { run } from '@gateway-infra/system/run'

const KINDS = {
  containers: { list: ['ps', '--all', '--quiet'], remove: ['rm', '--force', '--volumes'] },
  networks: { list: ['network', 'ls', '--quiet'], remove: ['network', 'rm'] },
  volumes: { list: ['volume', 'ls', '--quiet'], remove: ['volume', 'rm', '--force'] },
} as const
const OPTIONS = { evenWhenStopping: true, timeoutMs: 60_000 }

export interface Leftovers {
  readonly count: number
  /** `0 containers, 0 networks, 0 volumes` */
  describe(): string
}

/** Counts everything with this label, running or stopped. */
export async function leftoversOf(label: string): Promise<Leftovers> {
  const counts = await Promise.all(
    Object.entries(KINDS).map(async ([kind, { list }]) => [kind, (await find(list, label)).length] as const),
  )
  return {
    count: counts.reduce((sum, [, count]) => sum + count, 0),
    describe: () => counts.map(([kind, count]) => `${count} ${kind}`).join(', '),
  }
}

/** Removes containers first, since they use the networks and volumes. */
export async function removeLeftovers(label: string): Promise<void> {
  for (const { list, remove } of Object.values(KINDS)) {
    const found = await find(list, label)
    if (found.length > 0) await run('docker', [...remove, ...found], OPTIONS)
  }
}

async function find(list: readonly string[], label: string): Promise<string[]> {
  // Testcontainers can name a network but not label it.
  const isByName = list[0] === 'network' && label.startsWith(RUN_LABEL)
  const filter = isByName ? `name=payment-gateway-${label.slice(RUN_LABEL.length + 1)}-` : `label=${label}`
  const listed = await run('docker', [...list, '--filter', filter], OPTIONS)
  return listed.split('\n').filter((line) => line !== '')
}
