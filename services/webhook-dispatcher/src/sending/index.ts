/** Sends a webhook: the HTTPS client, name resolution, the address guard, signatures. Knows nothing of deliveries. */
export type { EndpointPorts } from './address-guard.ts'
export { type CheckEndpointUrl, makeCheckEndpointUrl } from './endpoint-check.ts'
export type { Resolve } from './guarded-lookup.ts'
export { createResolver } from './resolver.ts'
export { type AttemptResult, isAcknowledged, isGone, notSigned, wasSent } from './result.ts'
export { signedHeaders } from './signed-headers.ts'
export { tracedSend } from './traced-send.ts'
export { createWebhookClient, type SendWebhook } from './webhook-client.ts'
