import type { KeyObject } from 'node:crypto'
import type { Request } from 'express'
import { readCheckoutToken, Refused, type TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { PaymentWatcher } from '../use-cases/watch-payments.ts'
import type { BankCookie } from './bank-cookie.ts'
import type { Csrf } from './csrf.ts'
import type { ViewContextOf } from './view-context.ts'

/**
 * What every checkout route shares: which payment a link gives access to, the page's path, CSRF protection and the data for
 * views. Holding the link is the only right that a shopper needs, so the link is never logged.
 */
export interface CheckoutContext {
  readonly environment: Environment
  readonly watcher: PaymentWatcher
  readonly csrf: Csrf
  readonly bankCookie: BankCookie
  readonly viewContextOf: ViewContextOf
  readonly now: () => Date
  /** The transaction id of a link. Throws `Refused` (`not_found`) when its MAC is wrong. */
  transactionOf(request: Request<{ token: string }>): string
  /** The path of the link's page, `/checkout/<token>`. */
  pathOf(request: Request<{ token: string }>): string
  /** Throws `Refused` (`not_found`) for an unknown transaction, and `Unavailable` when payment-status does not answer. */
  find(transactionId: string): Promise<TransactionView>
}

type Parts = Pick<CheckoutContext, 'environment' | 'watcher' | 'csrf' | 'bankCookie' | 'viewContextOf' | 'now'>

export function createCheckoutContext(
  parts: Parts,
  { linkKeys, paymentStatus }: { linkKeys: readonly KeyObject[]; paymentStatus: PaymentStatus },
): CheckoutContext {
  return {
    ...parts,
    transactionOf({ params }) {
      const transactionId = readCheckoutToken(params.token, linkKeys)
      if (transactionId === undefined) throw linkUnknown()
      return transactionId
    },
    pathOf: ({ params }) => `/checkout/${params.token}`,
    async find(transactionId) {
      const view = await paymentStatus.find(transactionId)
      if (!view) throw linkUnknown()
      return view
    },
  }
}

export function linkUnknown(): Refused {
  return new Refused('not_found', 'There is no payment at this address')
}
