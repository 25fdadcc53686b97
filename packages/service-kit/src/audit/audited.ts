import { AppError, type AuditRecord } from '@gateway/contracts'
import { currentCorrelation } from '../logging/correlation.ts'
import type { Log } from '../logging/logger.ts'

/** Writes one entry; resolves when it is stored. */
export type AppendAudit = (entry: AuditRecord) => Promise<void>

export interface AuditedAction {
  /** `merchant`, or the name of an operator. */
  readonly who: string
  readonly action: string
  readonly merchantId: string | null
  readonly target: string | null
}

/** Performs an action of an operator or a merchant and records it in the audit and in the service's log. */
export type Audited = <T>(action: AuditedAction, work: () => Promise<T>) => Promise<T>

/** A word that is no id of ours: only digits, or with characters of an address. Callers put ids into paths, and may put anything there. */
const NO_ID = /(?<=^|[\s/])(?:[\d.-]{10,25}|[^\s/]*[@%][^\s/]*)(?=$|[\s/])/gu

/** What an action is about, without a word that may be a card number, a phone number or an address. */
export function withoutPersons<T extends string | null>(target: T): T | string {
  return target?.replace(NO_ID, '?') ?? target
}

/** The entry `asked` is stored before the action, so that no action can happen without a trace. */
export function makeAudited({ append, log }: { append: AppendAudit; log: Log }): Audited {
  return async ({ who, action, ...about }, work) => {
    const { requestId, caller } = currentCorrelation()
    const [merchantId, target] = [withoutPersons(about.merchantId), withoutPersons(about.target)]
    const record = (outcome: AuditRecord['outcome']) =>
      append({
        who,
        action,
        outcome,
        merchant_id: merchantId,
        target,
        credential_id: caller?.credentialId ?? null,
        address_prefix: caller?.addressPrefix ?? null,
        request_id: requestId ?? null,
      })
    await record('asked')
    const fields = { who, what: action, merchant_id: merchantId, target }
    try {
      const result = await work()
      await record('done')
      log.info('audited action', fields)
      return result
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await record('refused')
      log.warn('audited action refused', { ...fields, code: error.code })
      throw error
    }
  }
}
