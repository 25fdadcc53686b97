export * from './clients/network-connector.ts'
export * from './domain/enquiry-answer.ts'
export * from './http/downtimes-route.ts'
export * from './use-cases/advance-due.ts'
