/** Copies of webhooks for merchants that listen (`pgw listen`). Sandbox only. */
export { listenRoute, type ListenRoute, type StreamLimits } from './http/listen-route.ts'
export { copyIndexes, mongoCopies } from './persistence/copies.ts'
export { makeCopyWebhooks } from './use-cases/copy-webhooks.ts'
export { createListenSessions } from './use-cases/listen-sessions.ts'
