/** The movements of money that the ledger knows: a captured payment, one that must go back, and money that went back or returned. */
export const ENTRY_KINDS = ['capture', 'unwanted_capture', 'reversal', 'refund', 'refund_return'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const ENTRY_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]
