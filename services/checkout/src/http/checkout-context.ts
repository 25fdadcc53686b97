import type { KeyObject } from 'node:crypto'
import type { Request } from 'express'
import { readCheckoutToken, Refused, type TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { Outages } from '../domain/outages.ts'
import { openAttempt } from '../domain/page-state.ts'
import type { AttemptIdsOf } from '../use-cases/attempt-ids.ts'
import type { PaymentWatcher } from '../use-cases/watch-payments.ts'
import type { PanelContext } from '../views/panel-context.ts'
import { platformOf } from '../views/upi-apps.ts'
import type { BankCookie } from './bank-cookie.ts'
import type { Csrf } from './csrf.ts'

interface Parts {
  readonly environment: Environment
  readonly watcher: PaymentWatcher
  readonly csrf: Csrf
  readonly bankCookie: BankCookie
  readonly now: () => Date
}

interface Sources {
  readonly linkKeys: readonly KeyObject[]
  readonly paymentStatus: PaymentStatus
  readonly attemptIdsOf: AttemptIdsOf
  readonly outagesNow: () => Outages
}

type PageRequest = Request<{ token: string }>

/** Values that only one rendering has. */
type RenderOptions = Pick<PanelContext, 'csrf' | 'language'> & Partial<Pick<PanelContext, 'form' | 'notice'>>

/**
 * What every checkout route shares: which payment a link gives access to, the page's path, CSRF protection and the data for
 * views. Holding the link is the only right that a shopper needs, so the link is never logged.
 */
export interface CheckoutContext extends Parts {
  /** The transaction id of a link. Throws `Refused` (`not_found`) when its MAC is wrong. */
  transactionOf(request: PageRequest): string
  /** The path of the link's page, `/checkout/<token>`. */
  pathOf(request: PageRequest): string
  /** Throws `Refused` (`not_found`) for an unknown transaction, and `Unavailable` when payment-status does not answer. */
  find(transactionId: string): Promise<TransactionView>
  /** The data that views need about a payment and the browser that shows it. */
  readonly viewContextOf: (request: PageRequest, view: TransactionView, options: RenderOptions) => PanelContext
}

export function createCheckoutContext(
  parts: Parts,
  { linkKeys, paymentStatus, attemptIdsOf, outagesNow }: Sources,
): CheckoutContext {
  const { environment, bankCookie, now } = parts
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
    viewContextOf(request, view, { csrf, language, form, notice }) {
      const open = openAttempt(view)
      return {
        ...{ csrf, language, form, notice, environment },
        token: request.params.token,
        now: now(),
        platform: platformOf(request.get('user-agent')),
        attemptId: attemptIdsOf(view.id, view.attempts.length)[0],
        outages: outagesNow(),
        canContinueAtBank:
          open !== undefined && bankCookie.read(request, { transactionId: view.id, attemptId: open.id }) !== undefined,
      }
    },
  }
}

export function linkUnknown(): Refused {
  return new Refused('not_found', 'There is no payment at this address')
}
