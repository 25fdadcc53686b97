/** The services that run in the simulation. */
export const SERVICES = ['order-api', 'payment-status', 'webhook-dispatcher'] as const
export type ServiceName = (typeof SERVICES)[number]
export const REPLICAS = [1, 2] as const
