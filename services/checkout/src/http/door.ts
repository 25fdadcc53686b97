import type { KeyObject } from 'node:crypto'
import type { Request } from 'express'
import { readCheckoutToken, Refused, type TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { PaymentWatcher } from '../use-cases/watch-payments.ts'
import type { BankCookie } from './bank-cookie.ts'
import type { Csrf } from './csrf.ts'
import type { PageContextOf } from './page-context.ts'

/** What every route of the page needs. Whoever has the link may use it; the link is never logged. */
export interface Door {
  readonly environment: Environment
  readonly watcher: PaymentWatcher
  readonly csrf: Csrf
  readonly bankCookie: BankCookie
  readonly contextOf: PageContextOf
  readonly now: () => Date
  /** The payment that a link is for; throws when it is no link of ours. */
  transactionOf(request: Request<{ token: string }>): string
  /** The page of the link. */
  pathOf(request: Request<{ token: string }>): string
  /** Throws when there is no such payment, and `Unavailable` when that cannot be told. */
  find(transactionId: string): Promise<TransactionView>
}

type Parts = Pick<Door, 'environment' | 'watcher' | 'csrf' | 'bankCookie' | 'contextOf' | 'now'>

export function createDoor(parts: Parts, { linkKey, paymentStatus }: { linkKey: KeyObject; paymentStatus: PaymentStatus }): Door {
  return {
    ...parts,
    transactionOf({ params }) {
      const transactionId = readCheckoutToken(params.token, linkKey)
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
