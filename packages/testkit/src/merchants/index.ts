export * from './connection.ts'
export * from './create-merchant.ts'
export * from './token.ts'
