import { FAILURE_CODES, type FailureCode, type NetworkReport } from '@gateway/contracts'
import type { Attempt, Transaction } from './transaction.ts'

/** Reasons of connectors that give no code, where one of our codes says the same. */
const BY_REASON: ReadonlyMap<string, FailureCode> = new Map([
  ['cancelled', 'payer_declined'],
  ['expired', 'timed_out'],
])

type Reasons = Pick<NetworkReport, 'reason_code' | 'network_code'> & Partial<Pick<NetworkReport, 'reason'>>

/** Why a payment or a refund was declined, from its report: our code for it, and the network's own code or words. */
export function codesOf({ reason, reason_code, network_code }: Reasons): Pick<Attempt, 'failure_code' | 'network_code'> {
  const given = reason_code ?? reason ?? ''
  const failure_code = FAILURE_CODES.find((code) => code === given) ?? BY_REASON.get(given) ?? 'unknown'
  return { failure_code, network_code: network_code ?? reason_code ?? reason ?? null }
}

/** Why the network declined the payment that failed the transaction; `null` when no decline did. */
export function failureCodeOf({ status, failure_reason, final_at, attempts }: Transaction): FailureCode | null {
  if (status !== 'Failed') return null
  const last = attempts.find(
    (attempt) =>
      attempt.failure_reason === failure_reason && attempt.ended_at?.getTime() === final_at?.getTime() && attempt.failure_code,
  )
  return last?.failure_code ?? null
}
