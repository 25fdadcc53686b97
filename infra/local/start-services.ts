import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { Progress } from '@gateway-infra/system/progress'
import { serviceEnvironment, SERVICES, serviceUrl, type Wiring } from './services.ts'
import { startService, type RunningService } from './supervisor.ts'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import type { UndoStack } from '@gateway-infra/system/undo'

export interface StartServicesOptions {
  readonly stateDir: string
  readonly wiring: Wiring
  readonly env: NodeJS.ProcessEnv
  readonly book: ProcessBook
  readonly progress: Progress
  readonly undo: UndoStack
  /** Called when a service has ended by itself and was started again with another pid. */
  readonly onRestart: () => void
}

/** Starts all services in parallel; each waits for what it needs. Resolves when all are ready. */
export async function startServices({ progress, undo, ...options }: StartServicesOptions): Promise<RunningService[]> {
  const { stateDir, wiring, env, book, onRestart } = options
  return progress.during(`starting ${SERVICES.length} services`, async () => {
    const starts = SERVICES.map(async (service) => {
      const running = await startService({
        name: service.name,
        cwd: join(ROOT, 'services', service.name),
        env: serviceEnvironment(service, wiring, env),
        logFile: join(stateDir, 'logs', `${service.name}.log`),
        healthUrl: `${serviceUrl(wiring.ports, service.name)}/readyz`,
        book,
        log: progress.log,
        onRestart,
      })
      return running
    })
    const settled = await Promise.allSettled(starts)
    const running = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    undo.add(async () => progress.during('stopping the services', async () => stopAll(running)))
    const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    if (failures.length > 0) throw failures[0]
    return running
  })
}

/** The gateway first, so that no request arrives while the other services stop. */
async function stopAll(services: readonly RunningService[]): Promise<void> {
  await Promise.all(services.filter(({ name }) => name === 'api-gateway').map(async (service) => service.stop()))
  await Promise.all(services.map(async (service) => service.stop()))
}
