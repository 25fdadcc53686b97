import { join } from 'node:path'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { ROOT } from '@gateway-infra/system/paths'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import type { Progress } from '@gateway-infra/system/progress'
import { NODE_ARGS, NODE_ENVIRONMENT } from './service-process.ts'
import { serviceEnvironment, SERVICES, serviceUrl, type Wiring } from './services.ts'

export interface StartServicesOptions {
  readonly stateDir: string
  readonly wiring: Wiring
  readonly env: NodeJS.ProcessEnv
  readonly book: ProcessBook
  readonly progress: Progress
  readonly undo: AsyncDisposableStack
  /** Called when a service has ended by itself and was started again with another pid. */
  readonly onRestart: () => void
}

const READY_WITHIN_MS = 60_000
const HEALTH_TIMEOUT_MS = 3_000

/** Starts all services in parallel; each waits for what it needs. Resolves when all are ready. */
export async function startServices(options: StartServicesOptions): Promise<KeptProcess[]> {
  const { stateDir, wiring, env, book, progress, undo, onRestart } = options
  return progress.during(`starting ${SERVICES.length} services`, async () => {
    const starts = SERVICES.map(async (service) => {
      const cwd = join(ROOT, 'services', service.name)
      return keepRunning({
        name: service.name,
        command: process.execPath,
        args: [...NODE_ARGS, join(cwd, 'src/main.ts')],
        cwd,
        env: { ...NODE_ENVIRONMENT, ...serviceEnvironment(service, wiring, env) },
        logFile: join(stateDir, 'logs', `${service.name}.log`),
        isReady: () => isReady(`${serviceUrl(wiring.ports, service.name)}/readyz`),
        readyWithinMs: READY_WITHIN_MS,
        book,
        log: progress.log,
        onRestart,
      })
    })
    const settled = await Promise.allSettled(starts)
    const running = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    undo.defer(async () => progress.during('stopping the services', async () => stopAll(running)))
    for (const one of settled) if (one.status === 'rejected') throw one.reason
    return running
  })
}

/** The gateway first, so that no request arrives while the other services stop. */
async function stopAll(services: readonly KeptProcess[]): Promise<void> {
  await services.find(({ name }) => name === 'api-gateway')?.stop()
  await Promise.all(services.map(async (service) => service.stop()))
}

/** Requests a readiness endpoint; true for status 200. */
export async function isReady(healthUrl: string): Promise<boolean> {
  const response = await fetch(healthUrl, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
  await response.body?.cancel()
  return response.status === 200
}
