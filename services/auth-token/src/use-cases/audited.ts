import { AppError } from '@gateway/contracts'
import { currentCorrelation, type Log } from '@gateway/service-kit'
import type { AuditEntry, AuditLog } from '../persistence/audit-log.ts'

type Action = Pick<AuditEntry, 'action' | 'merchantId' | 'keyId'>

/** Does what an operator asks for, and leaves a trace of it in the audit log and the service's log. */
export type Audited = <T>(action: Action, work: () => Promise<T>) => Promise<T>

/** The entry `asked` comes first: whatever happens after, nothing is done that nobody can see. */
export function makeAudited({ auditLog, log, now }: { auditLog: AuditLog; log: Log; now: () => Date }): Audited {
  return async (action, work) => {
    const record = (outcome: AuditEntry['outcome']) => {
      const requestId = currentCorrelation().requestId ?? null
      return auditLog.append({ ...action, at: now(), who: 'operator', outcome, requestId })
    }
    await record('asked')
    const { action: what, merchantId, keyId } = action
    try {
      const result = await work()
      await record('done')
      log.info('operator action', { who: 'operator', what, merchant_id: merchantId, key_id: keyId })
      return result
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await record('refused')
      log.warn('operator action refused', { who: 'operator', what, merchant_id: merchantId, key_id: keyId, code: error.code })
      throw error
    }
  }
}
