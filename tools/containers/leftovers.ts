/** Containers, networks and volumes that a run left on the engine, found by the run's label. */
import { run } from '@gateway-infra/system/run'

/** The label of everything that `npm run test:containers` starts, with the name of its run. */
export const RUN_LABEL = 'payment-gateway.run'

const KINDS = {
  containers: { list: ['ps', '--all', '--quiet'], remove: ['rm', '--force', '--volumes'] },
  networks: { list: ['network', 'ls', '--quiet'], remove: ['network', 'rm'] },
  volumes: { list: ['volume', 'ls', '--quiet'], remove: ['volume', 'rm', '--force'] },
} as const
const OPTIONS = { evenWhenStopping: true, timeoutMs: 60_000 }

/** Removes everything with this label. `description` says how much there was: `0 containers, 0 networks, 0 volumes`. */
export async function removeLeftovers(label: string): Promise<{ readonly count: number; readonly description: string }> {
  const found = await Promise.all(
    Object.entries(KINDS).map(async ([kind, { list, remove }]) => ({ kind, remove, ids: await find(list, label) })),
  )
  // Containers first, since they use the networks and volumes.
  for (const { remove, ids } of found) if (ids.length > 0) await run('docker', [...remove, ...ids], OPTIONS)
  const description = found.map(({ kind, ids }) => `${ids.length} ${kind}`).join(', ')
  return { count: found.flatMap(({ ids }) => ids).length, description }
}

async function find(list: readonly string[], label: string): Promise<string[]> {
  // Testcontainers can name a network but not label it.
  const isByName = list[0] === 'network' && label.startsWith(RUN_LABEL)
  const filter = isByName ? `name=payment-gateway-${label.slice(RUN_LABEL.length + 1)}-` : `label=${label}`
  const listed = await run('docker', [...list, '--filter', filter], OPTIONS)
  return listed.split('\n').filter((line) => line !== '')
}
