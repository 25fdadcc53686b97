import type { Connection } from 'mongoose'
import type { Audited, Log, Sealer } from '@gateway/service-kit'
import type { CheckSlot } from '@gateway/service-kit/mongo'
import type { DispatcherConfig } from '../config.ts'
import { mongoDeliveries, mongoDeliveryLists, mongoDeliveryReadModel, mongoPendingAttempts } from '../deliveries/index.ts'
import type { Resend, RetryPublisher } from '../delivering/index.ts'
import { mongoEndpoints, type FindEndpoint, type ListenSecrets } from '../endpoints/index.ts'
import { mongoCopies } from '../listening/index.ts'
import type { SendWebhook } from '../sending/index.ts'

/** Everything that this service stores, apart from the names of its retry and park queues. */
export function createStore(connection: Connection, prefetch: number, checkSlot: CheckSlot) {
  return {
    endpoints: mongoEndpoints(connection),
    deliveries: mongoDeliveries(connection, prefetch),
    lists: mongoDeliveryLists(connection, checkSlot),
    pendingAttempts: mongoPendingAttempts(connection),
    readModel: mongoDeliveryReadModel(connection),
    copies: mongoCopies(connection),
  }
}

/** What the use cases of all rooms are made of. */
export interface Parts extends ReturnType<typeof createStore> {
  readonly config: DispatcherConfig
  readonly findEndpoint: FindEndpoint
  readonly sealer: Sealer
  readonly listenSecrets: ListenSecrets
  readonly send: SendWebhook
  readonly retries: RetryPublisher
  readonly resend: Resend
  readonly audited: Audited
  readonly log: Log
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}
