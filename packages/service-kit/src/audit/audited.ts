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

/** The entry `asked` is stored before the action, so that no action can happen without a trace. */
export function makeAudited({ append, log }: { append: AppendAudit; log: Log }): Audited {
  return async ({ who, action, merchantId, target }, work) => {
    const { requestId, caller } = currentCorrelation()
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
