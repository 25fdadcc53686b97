/**
 * The kinds of movements of money: a payment that the merchant keeps, one that must go back (`unwanted_capture`) and its way back
 * (`reversal`), a refund, and a refund that the shopper's bank sent back (`refund_return`).
 */
export const ENTRY_KINDS = ['capture', 'unwanted_capture', 'reversal', 'refund', 'refund_return'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const ENTRY_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]

export const MONEY_DIRECTION_SCHEMA = {
  enum: ['credit', 'debit'],
  description: 'credit: for the merchant; debit: from the merchant',
} as const
