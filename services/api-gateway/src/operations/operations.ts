import { accountOperations } from './account.ts'
import { networkOperations } from './network.ts'
import type { Operation } from './operation.ts'
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
