import { FAILURE_CODES, type FailureCode, type NetworkReport } from '@gateway/contracts'
import type { Attempt, Transaction } from './transaction.ts'

/** Reasons of connectors that give no code, where one of our codes says the same. */
const BY_REASON: ReadonlyMap<string, FailureCode> = new Map([
  ['cancelled', 'payer_declined'],
  ['expired', 'timed_out'],
])

type Reasons = Pick<NetworkReport, 'reason_code' | 'network_code'> & Partial<Pick<NetworkReport, 'reason'>>

/** Why a payment or a refund was declined, from its report: our code for it, and the network's own code or words. */
export function codesOf({ reason, reason_code, network_code }: Reasons): Pick<Attempt, 'failureCode' | 'networkCode'> {
  const given = reason_code ?? reason ?? ''
  const failureCode = FAILURE_CODES.find((code) => code === given) ?? BY_REASON.get(given) ?? 'unknown'
  return { failureCode, networkCode: network_code ?? reason_code ?? reason ?? null }
}

/** Why the network declined the payment that failed the transaction; `null` when no decline did. */
export function failureCodeOf({ status, failureReason, finalAt, attempts }: Transaction): FailureCode | null {
  if (status !== 'Failed') return null
  const last = attempts.find(
    (attempt) =>
      attempt.failureReason === failureReason && attempt.endedAt?.getTime() === finalAt?.getTime() && attempt.failureCode,
  )
  return last?.failureCode ?? null
}
