/** What a run of containers left on the engine, by the label that all of it carries. */
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

/** Everything with this label, running or not. */
export async function leftoversOf(label: string): Promise<Leftovers> {
  const counts = await Promise.all(
    Object.entries(KINDS).map(async ([kind, { list }]) => [kind, (await find(list, label)).length] as const),
  )
  return {
    count: counts.reduce((sum, [, count]) => sum + count, 0),
    describe: () => counts.map(([kind, count]) => `${count} ${kind}`).join(', '),
  }
}

/** Containers first: they hold the others. */
export async function removeLeftovers(label: string): Promise<void> {
  for (const { list, remove } of Object.values(KINDS)) {
    const found = await find(list, label)
    if (found.length > 0) await run('docker', [...remove, ...found], OPTIONS)
  }
}

async function find(list: readonly string[], label: string): Promise<string[]> {
  // The library that makes networks gives them a name of ours, but no label.
  const named = list[0] === 'network' && label.startsWith(RUN_LABEL)
  const filter = named ? `name=payment-gateway-${label.slice(RUN_LABEL.length + 1)}-` : `label=${label}`
  const listed = await run('docker', [...list, '--filter', filter], OPTIONS)
  return listed.split('\n').filter((line) => line !== '')
}
