/** Who calls: the merchant that the gateway's internal token names. A subpath of its own, so that only its users load jose. */
export * from './merchant-auth.ts'
