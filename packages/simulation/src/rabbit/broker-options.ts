import type { Message, Stored } from './message.ts'

/** What a test may hear of; names of clients are those of `Client`. */
export interface BrokerObserver {
  /** The broker has got a message from a client, and will store it in these queues. */
  readonly onPublish?: (client: string, message: Message, queues: readonly string[]) => void
  readonly onStored?: (queue: string, message: Message) => void
  readonly onDeliver?: (client: string, queue: string, stored: Stored) => void
  /** A client has acknowledged a delivery: the message is gone. */
  readonly onAck?: (client: string, queue: string, message: Message) => void
  /** A message has left its queue, because it expired or was given up. */
  readonly onDead?: (queue: string, message: Message) => void
  /** A client hears nothing of a message that it has published: its node or its channel is lost. */
  readonly onUnconfirmed?: (client: string, message: Message) => void
  /** A client that publishes is told of an alarm. */
  readonly onBlocked?: (client: string) => void
}

export interface BrokerOptions extends BrokerObserver {
  /** `host:port` of each node. */
  readonly nodes: readonly string[]
  /** How long a majority takes to have a message, in milliseconds; by default mostly 1 to 4, now and then up to 200. */
  readonly lagMs?: () => number
}

/** What is in a queue. */
export interface QueueDump {
  readonly ready: readonly Message[]
  /** Delivered and not acknowledged. */
  readonly unacked: number
  /** On their way to a dead-letter exchange. */
  readonly deadLettering: number
}
