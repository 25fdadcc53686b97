import { removeContainers } from './backing/docker.ts'
import { openProcessBook } from '@gateway-infra/system/process-book'

/** Ends every process and container that a killed supervisor of this state directory left running; resolves to their names. */
export async function endAllLeftovers(stateDir: string): Promise<string[]> {
  const services = await openProcessBook(stateDir, 'services').endLeftovers()
  const backing = await openProcessBook(stateDir, 'backing').endLeftovers()
  return [...services, ...backing, ...(await removeContainers(stateDir))]
}

/** Names of the processes that a killed supervisor of this state directory left running. */
export function listLeftovers(stateDir: string): string[] {
  return (['services', 'backing'] as const).flatMap((kind) => openProcessBook(stateDir, kind).leftovers())
}
