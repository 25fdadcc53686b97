/** What one payment leaves, a document or more in each: the database without its prefix, and the collection. */
export const FILLED = [
  ['order_api', 'orders'],
  ['payment_status', 'transactions'],
  ['webhook_dispatcher', 'deliveries'],
  ['network_simulator', 'payments'],
] as const
export type Filled = (typeof FILLED)[number][0]
