export { makeAsOf, shareAsOf, type AsOf } from './as-of.ts'
export { mongoReplicas } from './persistence/replicas.ts'
