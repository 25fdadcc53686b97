import {
  enquiryResponse,
  formatPaise,
  isCut,
  NETWORK_PATHS,
  reversalKey,
  reversalResponse,
  type EnquiryResponse,
} from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { failureCode } from '@gateway/service-kit/http-client'
import { createNetworkClient, type NetworkAddress } from '@gateway/connector-client'
import type { GuardReport } from '../../callbacks/index.ts'
import type { EnquiryAnswer } from '../domain/enquiry-answer.ts'
import type { ExcessCapture, ReversalAnswer } from '../../payments/index.ts'

/** The payment network, through its connector. No call rejects: every answer that is not clear becomes `unclear`. */
export interface NetworkConnector {
  /** Asks for every payment that the network knows for a transaction. */
  enquire(transactionId: string): Promise<EnquiryAnswer>
  /** Asks to send captured money back. Safe to repeat: one reference has one idempotency key. */
  reverse(transactionId: string, reversal: ExcessCapture): Promise<ReversalAnswer>
}

function toAnswer(answer: EnquiryResponse, guardReport: GuardReport): EnquiryAnswer {
  const { payments, as_of: asOf } = answer
  const known = { kind: 'known', payments: payments.map(guardReport), isCut: isCut(answer) } as const
  return asOf === undefined ? known : { ...known, asOf: new Date(asOf) }
}

/** Speaks the documented contract (contracts, network.ts) to the simulator or to a production connector. */
export function createNetworkConnector(address: NetworkAddress, guardReport: GuardReport, log: Log): NetworkConnector {
  const client = createNetworkClient(address)
  const logUnclear = (operation: string, transactionId: string, why: object): void =>
    log.warn('network gave no clear answer', { operation, transaction_id: transactionId, ...why })
  const unclearEnquiry = (transactionId: string, fields: { status: number } | { error: string }): EnquiryAnswer => {
    logUnclear('enquire', transactionId, fields)
    if ('error' in fields) return { kind: 'unclear', why: fields.error }
    return { kind: 'unclear', why: fields.status === 200 ? 'unreadable answer' : `status ${fields.status}` }
  }

  return {
    async enquire(transactionId) {
      try {
        const { status, data } = await client.get(NETWORK_PATHS.payments, { params: { tr: transactionId } })
        const isOurs = status === 200 && enquiryResponse(data) && data.tr === transactionId
        if (isOurs && data.payments.every(({ tr }) => tr === transactionId)) {
          if (isCut(data)) logUnclear('enquire', transactionId, { listed: data.payments.length })
          return toAnswer(data, guardReport)
        }
        return unclearEnquiry(transactionId, { status })
      } catch (error) {
        return unclearEnquiry(transactionId, { error: failureCode(error) })
      }
    },

    async reverse(transactionId, { reference, amount_paise, reason }) {
      const body = { reference, tr: transactionId, amount: formatPaise(amount_paise), reason }
      try {
        const headers = { 'idempotency-key': reversalKey(body) }
        const { status, data } = await client.post(NETWORK_PATHS.reversals, body, { headers })
        if (status === 200 && reversalResponse(data) && data.reference === reference)
          return { status: data.status, ...guardReport(data.rrn === undefined ? {} : { rrn: data.rrn }) }
        logUnclear('reverse', transactionId, { status })
      } catch (error) {
        logUnclear('reverse', transactionId, { error: failureCode(error) })
      }
      return 'unclear'
    },
  }
}
