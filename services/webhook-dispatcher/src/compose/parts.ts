import type { Connection } from 'mongoose'
import type { Audited, Log, Sealer } from '@gateway/service-kit'
import type { SendWebhook } from '../clients/webhook/webhook-client.ts'
import type { DispatcherConfig } from '../config.ts'
import type { FindEndpoint } from '../endpoint-directory/find-endpoint.ts'
import { mongoCopies } from '../persistence/copies.ts'
import { mongoDeliveries } from '../persistence/deliveries.ts'
import { mongoDeliveryLists } from '../persistence/delivery-lists.ts'
import { mongoListDeliveriesOf, mongoListRefundDeliveriesOf } from '../persistence/delivery-ranges.ts'
import { mongoEndpoints } from '../persistence/endpoints.ts'
import { mongoListenSecrets } from '../persistence/listen-secrets.ts'
import { mongoPendingAttempts } from '../persistence/pending-attempts.ts'
import { mongoRecordedWebhooks } from '../persistence/recorded-webhooks.ts'
import { mongoFindDeliveriesOf } from '../persistence/timeline-deliveries.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'
import type { Resend } from '../use-cases/resend.ts'

/** Everything that this service stores, apart from its wait queues. */
export function createStore(connection: Connection, prefetch: number) {
  return {
    endpoints: mongoEndpoints(connection),
    deliveries: mongoDeliveries(connection, prefetch),
    lists: mongoDeliveryLists(connection),
    pendingAttempts: mongoPendingAttempts(connection),
    listDeliveriesOf: mongoListDeliveriesOf(connection),
    copies: mongoCopies(connection),
    recordedWebhooks: mongoRecordedWebhooks(connection),
    listenSecrets: mongoListenSecrets(connection),
    listRefundDeliveriesOf: mongoListRefundDeliveriesOf(connection),
    findDeliveriesOf: mongoFindDeliveriesOf(connection),
  }
}

/** What all use cases are made of. */
export interface Parts extends ReturnType<typeof createStore> {
  readonly config: DispatcherConfig
  readonly findEndpoint: FindEndpoint
  readonly sealer: Sealer
  readonly send: SendWebhook
  readonly retries: RetryPublisher
  readonly resend: Resend
  readonly audited: Audited
  readonly log: Log
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}
