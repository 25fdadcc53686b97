import { AppError } from '@gateway/contracts'
import { currentCorrelation, type Log } from '@gateway/service-kit'
import type { AuditEntry, AuditLog } from '../persistence/audit-log.ts'

type Action = Pick<AuditEntry, 'action' | 'merchantId' | 'keyId'>

/** Performs an operator's action and records it in the audit log and the service's log. */
export type Audited = <T>(action: Action, work: () => Promise<T>) => Promise<T>

/** The entry `asked` is written before the action, so that no action can happen without a trace. */
export function makeAudited({ auditLog, log, now }: { auditLog: AuditLog; log: Log; now: () => Date }): Audited {
  return async (action, work) => {
    const record = (outcome: AuditEntry['outcome']) => {
      const requestId = currentCorrelation().requestId ?? null
      return auditLog.append({ ...action, at: now(), who: 'operator', outcome, requestId })
    }
    await record('asked')
    const fields = { who: 'operator', what: action.action, merchant_id: action.merchantId, key_id: action.keyId }
    try {
      const result = await work()
      await record('done')
      log.info('operator action', fields)
      return result
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await record('refused')
      log.warn('operator action refused', { ...fields, code: error.code })
      throw error
    }
  }
}
