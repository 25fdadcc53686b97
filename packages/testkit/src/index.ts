export * from './eventually.ts'
export * from './internal-tokens.ts'
