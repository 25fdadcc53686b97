/** How groups of operations are forwarded. */
export const read = { caller: 'merchant', rate: 'read', repeatable: true } as const
export const write = { caller: 'merchant', rate: 'write' } as const
export const list = { ...read, share: 'pages' } as const
export const ledger = { ...list, to: 'ledger' } as const
