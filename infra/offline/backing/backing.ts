import type { Ports } from '@gateway-infra/system/ports'
import type { Progress } from '@gateway-infra/system/progress'

export interface BackingOptions {
  /** Identifies the instance; its data survives restarts. */
  readonly stateDir: string
  readonly cacheDir: string
  readonly ports: Ports
  readonly progress: Progress
  readonly env: NodeJS.ProcessEnv
  /** RabbitMQ's users and permissions (messaging, broker-users.ts), for a broker that is started as a process. */
  readonly brokerDefinitions?: string
  /** True when the data need not be kept: containers get volumes that are removed with them. */
  readonly isTemporary?: boolean
}

/** A MongoDB-protocol server and a RabbitMQ broker that answer. Those started here are started again when they end by themselves. */
export interface Backing {
  readonly kind: 'given' | 'docker' | 'native'
  /** Why this kind was chosen, for the terminal. */
  readonly reason: string
  /** Without a database name. */
  readonly mongoUrl: string
  readonly amqpUrl: string
  /** Stops what was started here; data stays. */
  stop(): Promise<void>
}
