import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import { paged, type Paged } from '../paged.ts'
import type { Settlement, SettlementLine, SettlementsQuery } from '../generated/types.ts'

export interface Settlements {
  /**
   * What the bank paid, newest first; the credential needs the scope `read`.
   *
   * @example for await (const { id, settled_on, net } of gateway.settlements.list()) console.log(id, settled_on, net)
   */
  list(query?: SettlementsQuery): Paged<Settlement>
  /**
   * What a settlement consists of.
   *
   * @example for await (const { order_id, amount, fee } of gateway.settlements.lines('SET-1')) console.log(order_id, amount, fee)
   */
  lines(id: string, query?: { readonly limit?: number }): Paged<SettlementLine>
}

export function createSettlements(send: Transport): Settlements {
  return {
    list: (query = {}) => paged(send, OPERATIONS.listSettlements, 'settlements', { query: { ...query } }),
    lines: (id, query = {}) => paged(send, OPERATIONS.listSettlementLines, 'lines', { id, query }),
  }
}
