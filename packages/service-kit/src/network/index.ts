/** Calling the network's connector. A subpath of its own, so that services which never call it load no HTTP client. */
export * from './capabilities.ts'
export * from './downtimes.ts'
export * from './network-client.ts'
