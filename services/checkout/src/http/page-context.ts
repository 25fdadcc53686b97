import type { Request } from 'express'
import type { TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import { openAttempt } from '../domain/page-state.ts'
import type { AttemptIdOf } from '../use-cases/attempt-ids.ts'
import type { PanelContext } from '../views/panel-context.ts'
import { platformOf } from '../views/upi-apps.ts'
import type { BankCookie } from './bank-cookie.ts'

interface Dependencies {
  readonly environment: Environment
  readonly attemptIdOf: AttemptIdOf
  readonly bankCookie: BankCookie
  readonly now: () => Date
}

/** What differs from one rendering to the next. */
type Particular = Pick<PanelContext, 'csrf' | 'language'> & Partial<Pick<PanelContext, 'form' | 'notice'>>

/** What the views are told of a payment and of the browser that looks at it. */
export type PageContextOf = (request: Request<{ token: string }>, view: TransactionView, particular: Particular) => PanelContext

export function makePageContext({ environment, attemptIdOf, bankCookie, now }: Dependencies): PageContextOf {
  return (request, view, { csrf, language, form, notice }) => {
    const open = openAttempt(view)
    return {
      token: request.params.token,
      csrf,
      now: now(),
      language,
      environment,
      platform: platformOf(request.get('user-agent')),
      attemptId: attemptIdOf(view.id, view.attempts.length),
      form,
      notice,
      canContinueAtBank:
        open !== undefined && bankCookie.read(request, { transactionId: view.id, attemptId: open.id }) !== undefined,
    }
  }
}
