import { startService, type ServiceProcess, type ServiceProcessOptions } from '@gateway-tools/load/service-process'
import type { ServiceName } from '@gateway-infra/local/services'

export interface ReplicaOptions extends Omit<ServiceProcessOptions, 'readyStates'> {
  readonly service: ServiceName
  /** From 1. */
  readonly number: number
}

/** One process of a service, which can be restarted. */
export interface Replica extends Pick<ReplicaOptions, 'service' | 'number' | 'port'> {
  /** 0 for a service without an operator API. */
  readonly operatorPort: number
  start(): Promise<void>
  /** SIGTERM; resolves with how it ended: `0` when it ended well. */
  stop(): Promise<string>
}

export function makeReplica(options: ReplicaOptions): Replica {
  const { service, number, port, env } = options
  let running: ServiceProcess | undefined
  return {
    service,
    number,
    port,
    operatorPort: Number(env['OPERATOR_PORT'] ?? 0),
    async start() {
      // Services that it calls may not be there yet: `degraded` is ready.
      running = await startService({ ...options, readyStates: ['ok', 'degraded'] })
    },
    stop: async () => running?.stop() ?? '0',
  }
}
