import { istDayStart } from '@gateway/contracts'
import type { EnvReader } from '@gateway/service-kit'
import type { SettlementRules } from './domain/settlement-rules.ts'

export type SettlementConfig = ReturnType<typeof readSettlement>

/** The size of settlement files, and how long the bank may take (docs/operations/reconciliation.md). */
export function readSettlement(env: EnvReader) {
  const days = { min: 0, max: 60, unit: 'days' }
  const holidays = env.list('SETTLEMENT_HOLIDAYS', 'days such as 2026-10-02', 'Days on which banks are closed, beside weekends')
  if (!holidays.every((day) => istDayStart(day))) env.reject('SETTLEMENT_HOLIDAYS must be days such as 2026-10-02')
  const since = env.optional(
    'SETTLEMENT_SINCE',
    'The first day whose payments are expected in settlement files; every day when unset',
    'day such as 2026-10-02',
  )
  if (since !== undefined && !istDayStart(since)) env.reject('SETTLEMENT_SINCE must be a day such as 2026-10-02')
  const maxFileMib = env.integer('SETTLEMENT_FILE_MAX_MB', 512, 'Largest settlement file', {
    min: 1,
    max: 4096,
    unit: 'mebibytes',
  })
  const rules: SettlementRules = {
    captureBusinessDays: env.integer('SETTLEMENT_CAPTURE_DAYS', 2, 'Business days until the bank has settled a payment', days),
    refundDays: env.integer('SETTLEMENT_REFUND_DAYS', 7, 'Days until the bank has settled a refund', days),
    reversalDays: env.integer('SETTLEMENT_REVERSAL_DAYS', 5, 'Days until the bank has settled a reversal', days),
    holidays: new Set(holidays),
    since,
  }
  return { maxFileBytes: maxFileMib * 1024 * 1024, rules }
}
