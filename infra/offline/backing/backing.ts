import type { Ports } from '@gateway-infra/system/ports'
import type { Progress } from '@gateway-infra/system/progress'

export interface BackingOptions {
  /** Names the instance; its data survives restarts. */
  readonly stateDir: string
  readonly cacheDir: string
  readonly ports: Ports
  readonly progress: Progress
  readonly env: NodeJS.ProcessEnv
  /** Nothing is to be kept: containers get volumes that go with them. */
  readonly isTemporary?: boolean
}

/** A MongoDB-protocol server and a RabbitMQ broker that answer. */
export interface Backing {
  readonly kind: 'given' | 'docker' | 'native'
  /** Why this kind, for people. */
  readonly reason: string
  /** Without a database name. */
  readonly mongoUrl: string
  readonly amqpUrl: string
  /** By name, for `status`; empty where the processes are not ours. */
  readonly pids: Readonly<Record<string, number>>
  /** Settles, with words for people, when one of the services ends although nobody stopped it. */
  readonly failed: Promise<string>
  /** Stops the broker and starts it again with its data; missing where it is not ours. For tests of what that does to others. */
  readonly restartBroker?: () => Promise<void>
  /** Ends what was started here; data stays. */
  stop(): Promise<void>
}
