import { addDays, type EntryKind } from '@gateway/contracts'

/** How long the bank may take for each kind of entry, by default capture T+2 business days, refund T+7, reversal T+5. */
export interface SettlementRules {
  readonly captureBusinessDays: number
  readonly refundDays: number
  readonly reversalDays: number
  /** Days such as `2026-10-02` on which banks are closed, beside Saturdays and Sundays. */
  readonly holidays: ReadonlySet<string>
  /** Entries before this day are not expected in any file. */
  readonly since: string | undefined
}

/** The latest day whose entries of a kind have to be settled, when the bank's files are complete up to `asOf`. */
export function lastDueDay(kind: EntryKind, asOf: string, rules: SettlementRules): string {
  switch (kind) {
    case 'capture':
    case 'unwanted_capture':
      return latest(asOf, (day) => addBusinessDays(day, rules.captureBusinessDays, rules.holidays) <= asOf)
    case 'refund':
    case 'refund_return':
      return addDays(asOf, -rules.refundDays)
    case 'reversal':
      return addDays(asOf, -rules.reversalDays)
  }
}

/** Searches backwards from `day`. The loop ends, because an earlier day has an earlier due day. */
function latest(day: string, fits: (day: string) => boolean): string {
  let candidate = day
  while (!fits(candidate)) candidate = addDays(candidate, -1)
  return candidate
}

function addBusinessDays(day: string, days: number, holidays: ReadonlySet<string>): string {
  let [date, left] = [day, days]
  while (left > 0) {
    date = addDays(date, 1)
    if (isBusinessDay(date, holidays)) left -= 1
  }
  return date
}

function isBusinessDay(day: string, holidays: ReadonlySet<string>): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday !== 0 && weekday !== 6 && !holidays.has(day)
}
