/** Sends a webhook: the HTTPS client, name resolution, the address guard, signatures. Knows nothing of deliveries. */
export type { EndpointPorts } from './address-guard.ts'
export { type CheckEndpointUrl, makeCheckEndpointUrl, type Resolve } from './guarded-lookup.ts'
export { createResolver } from './resolver.ts'
export { type AttemptResult, isAcknowledged, isGone, notSigned, wasSent } from './result.ts'
export { signedHeaders } from './signed-headers.ts'
export { createWebhookClient, type SendWebhook, tracedSend } from './webhook-client.ts'
