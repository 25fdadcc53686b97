export { makeAsOf, type AsOf } from './as-of.ts'
export { mongoReplicas } from './persistence/replicas.ts'
export { shareAsOf } from './share-as-of.ts'
