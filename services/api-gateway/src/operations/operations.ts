import { accountOperations } from './account.ts'
import { networkOperations } from './network.ts'
import type { Method, Operation } from './operation.ts'
import { orderOperations } from './orders.ts'
import { refundOperations } from './refunds.ts'
import { reportOperations } from './reports.ts'
import { webhookOperations } from './webhooks.ts'

const ALL = {
  ...orderOperations,
  ...reportOperations,
  ...refundOperations,
  ...webhookOperations,
  ...accountOperations,
  ...networkOperations,
}

export type OperationId = keyof typeof ALL

/** Every operation of the public API, in the order of the document. */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = ALL

/** Every path that is forwarded, as Express writes it, with its methods. */
export type ApiRoutes = Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>

/** The routes of one deployment. Any other path is 404. */
export function apiRoutes(deployment: { readonly sandbox: boolean; readonly simulator: boolean }): ApiRoutes {
  const routes: Record<string, Partial<Record<Method, Operation>>> = {}
  for (const operation of Object.values(OPERATIONS)) {
    if (operation.only !== undefined && !deployment[operation.only]) continue
    const path = operation.path.replace('{id}', ':id')
    routes[path] = { ...routes[path], [operation.method]: operation }
  }
  return routes
}

/** How long the service may take until its answer begins. */
export function timeoutMsOf({ extraTimeoutMs = 0 }: Operation, upstreamTimeoutMs: number): number {
  return upstreamTimeoutMs + extraTimeoutMs
}
