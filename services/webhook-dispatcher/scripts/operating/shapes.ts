export const TEXT = { type: 'string' } as const
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const
export const INTEGER = { type: 'integer', minimum: 0 } as const
