/** Which databases are the gateway's own, and in which order they are read. */
import { databaseName, type ServiceName } from '../services.ts'

/**
 * Whoever refers to something is read before what it refers to: a delivery's status change, a transaction's order and an
 * order's merchant are in the backup too, however much happens meanwhile. The simulator stands for a network, which is not ours.
 */
export const BACKED_UP: readonly ServiceName[] = ['webhook-dispatcher', 'payment-status', 'order-api', 'auth-token']

/** The name of a service's database in a backup: without a prefix. */
export function plainName(service: ServiceName): string {
  return databaseName('', service)
}
