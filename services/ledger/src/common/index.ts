export { checkRanges, cursorsOf, pageOf } from './paging.ts'
export { insertAbsent, storeNewer, storeNewerOfMerchants } from './store-newer.ts'
