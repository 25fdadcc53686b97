export { cursorsOf } from './cursor.ts'
export { checkRanges } from './ranges.ts'
export { insertAbsent, storeNewer } from './store-newer.ts'
