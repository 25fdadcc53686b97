/** The gateway's databases, in the order in which a backup reads them. */
import { databaseName, type ServiceName } from '../services.ts'

/**
 * A document is read before the documents it refers to. So the backup contains every delivery's status change, every
 * transaction's order and every order's merchant, whatever changes meanwhile. The simulator's data belongs to the network.
 */
export const BACKED_UP: readonly ServiceName[] = ['webhook-dispatcher', 'payment-status', 'order-api', 'auth-token']

/** A service's database name in a backup, without the prefix. */
export function plainName(service: ServiceName): string {
  return databaseName('', service)
}
