export { joinPartitions, type Partitions } from './join.ts'
export { makePartitionOperator } from './operate.ts'
export { runPartitionStep } from './script.ts'
export { mongoPartitions } from './store.ts'
