/** Calling other servers over HTTP. A subpath of its own, so that services which call none load no HTTP client. */
export * from './exchange.ts'
export * from './remote-audit.ts'
export * from './service-client.ts'
