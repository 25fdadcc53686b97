import { AppError, holdsCardNumber, type AuditRecord } from '@gateway/contracts'
import { currentCorrelation } from '../logging/correlation.ts'
import { describeError } from '../logging/describe-error.ts'
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

/** Ids that the gateway made, and digests. Their digits are no number of a person. */
const OUR_ID =
  /^(?:mer_01(?=\d*[A-Z])[0-9A-Z]{24}|01(?=\d*[A-Z])[0-9A-Z]{26}(?:R\d{2,4})?(?:\.\d{1,6})?|key_(?:sandbox|live)_[0-9a-f]{24}|(?=\d*[a-f])[0-9a-f]{64})$/u
/** As many digits as a phone number has. */
const MANY_DIGITS = /\p{Nd}(?:[\p{P}\p{S}]{0,2}\p{Nd}){9}/u
/** A merchant chose this id, and a request with a card number in it was refused. The audit of a refund needs it. */
const REFUND_ID = 'refund_id='

/** What an action is about, without a word that may be a card number, a phone number or an address. */
function withoutPersons<T extends string | null>(target: T): T | string {
  // Callers may put anything into the path of a request.
  return target?.replaceAll(/[^\s/]+/gu, (word) => (mayBeOfPerson(word) ? '?' : word)) ?? target
}

function mayBeOfPerson(word: string): boolean {
  if (OUR_ID.test(word)) return false
  return /[@%]/u.test(word) || (MANY_DIGITS.test(word) && !word.startsWith(REFUND_ID)) || holdsCardNumber(word, 'any')
}

/** Stores the entry `asked`. Work calls it before its first effect; when it throws, the work must not go on. */
export type Begin = () => Promise<void>

/**
 * Performs an action of an operator or a merchant and records it in the audit and in the service's log. Work that changes nothing
 * does not call `begin`: a refusal is then one entry, and a repeated request is none.
 */
export type Audited = <T>(action: AuditedAction, work: (begin: Begin) => Promise<T>) => Promise<T>

/** The entry `asked` is stored before the effect, so that no action can happen without a trace. */
export function makeAudited({ append, log }: { append: AppendAudit; log: Log }): Audited {
  return async ({ merchantId, target, ...by }, work) => {
    const action = { ...by, merchantId: withoutPersons(merchantId), target: withoutPersons(target) }
    const record = recorderOf(append, action)
    const fields = { who: action.who, what: action.action, merchant_id: action.merchantId, target: action.target }
    /** The caller gets the result or the refusal even when this entry cannot be stored. */
    const close = (outcome: 'done' | 'refused') =>
      record(outcome).catch((error: unknown) => {
        log.error('audit outcome not stored', { ...fields, outcome, error: describeError(error) })
      })
    const entry: { asked: 'not yet' | 'stored' | 'unwritten' } = { asked: 'not yet' }
    const begin = async (): Promise<void> => {
      entry.asked = 'unwritten'
      await record('asked')
      entry.asked = 'stored'
    }
    const result = await work(begin).catch(async (error: unknown) => {
      if (error instanceof AppError && entry.asked !== 'unwritten') {
        await close('refused')
        log.warn('audited action refused', { ...fields, code: error.code })
      }
      throw error
    })
    if (entry.asked === 'not yet') return result
    await close('done')
    log.info('audited action', fields)
    return result
  }
}

function recorderOf(append: AppendAudit, { who, action, merchantId, target }: AuditedAction) {
  const { requestId, caller } = currentCorrelation()
  return (outcome: AuditRecord['outcome']) =>
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
}
