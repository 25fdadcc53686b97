export { checkRanges, cursorsOf, pageOf } from './paging.ts'
export { insertAbsent, storeNewer } from './store-newer.ts'
