import type { Request } from 'express'
import type { TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import type { Outages } from '../domain/outages.ts'
import { openAttempt } from '../domain/page-state.ts'
import type { AttemptIdsOf } from '../use-cases/attempt-ids.ts'
import type { PanelContext } from '../views/panel-context.ts'
import { platformOf } from '../views/upi-apps.ts'
import type { BankCookie } from './bank-cookie.ts'

interface Dependencies {
  readonly environment: Environment
  readonly attemptIdsOf: AttemptIdsOf
  readonly bankCookie: BankCookie
  readonly outagesNow: () => Outages
  readonly now: () => Date
}

/** Values that only one rendering has. */
type RenderOptions = Pick<PanelContext, 'csrf' | 'language'> & Partial<Pick<PanelContext, 'form' | 'notice'>>

/** Builds the data that views need about a payment and the browser that shows it. */
export type ViewContextOf = (request: Request<{ token: string }>, view: TransactionView, options: RenderOptions) => PanelContext

export function makeViewContext({ environment, attemptIdsOf, bankCookie, outagesNow, now }: Dependencies): ViewContextOf {
  return (request, view, { csrf, language, form, notice }) => {
    const open = openAttempt(view)
    return {
      token: request.params.token,
      csrf,
      now: now(),
      language,
      environment,
      platform: platformOf(request.get('user-agent')),
      attemptId: attemptIdsOf(view.id, view.attempts.length)[0],
      form,
      notice,
      outages: outagesNow(),
      canContinueAtBank:
        open !== undefined && bankCookie.read(request, { transactionId: view.id, attemptId: open.id }) !== undefined,
    }
  }
}
