import { createHmac, hash } from 'node:crypto'
import {
  buildUpiIntent,
  formatPaise,
  parseAmount,
  Refused,
  ValidationFailed,
  type IntentRequest,
  type IntentResponse,
} from '@gateway/contracts'
import type { KeepIntent } from '../persistence/intents.ts'

/** Mints and signs a UPI link. A repeat gets the same link; another body under the same `tr` throws `idempotency_conflict`. */
export type MintIntent = (request: IntentRequest) => Promise<IntentResponse>

/** `orgid` of the simulated acquirer. Its signatures prove nothing: the sandbox's UPI app does not check them. */
const ORGID = '000000'

export function makeMintIntent({ keepIntent, key }: { keepIntent: KeepIntent; key: string }): MintIntent {
  const sign = (link: string): string => createHmac('sha256', key).update(`upi link ${link}`).digest('base64')
  return async (request) => {
    const { tr, amount, note, merchant } = request
    const amountPaise = parseAmount(amount) ?? 0
    if (amountPaise === 0) throw new ValidationFailed([{ field: '/amount', message: 'must be at least 0.01' }])
    const link = { payeeVpa: merchant.vpa, payeeName: merchant.name, mcc: merchant.mcc, transactionId: tr, note }
    const intent = buildUpiIntent({ ...link, amount: formatPaise(amountPaise) }, { mode: '05', orgid: ORGID, sign })
    const fingerprint = hash('sha256', JSON.stringify([tr, amountPaise, note, merchant, request.expires_at]), 'base64url')
    const kept = await keepIntent({ _id: tr, fingerprint, intent })
    if (kept.fingerprint !== fingerprint) throw new Refused('idempotency_conflict', 'This tr was used with another body')
    return { intent: kept.intent, signed: true }
  }
}
