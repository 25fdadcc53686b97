import type { Environment } from '@gateway/service-kit'
import type { FormError } from '../domain/card-form.ts'
import type { Language } from '../domain/words.ts'
import type { Platform } from './upi-apps.ts'

/** What every page needs. */
export interface LayoutContext {
  /** Of the answer's content security policy; our own style and script carry it. */
  readonly nonce: string
  readonly environment: Environment
  readonly language: Language
  /** The page's own path, `/checkout/<token>`, which the language switch goes to. */
  readonly path: string
}

/** What the part of a payment's page needs that changes while it is open. */
export interface PanelContext {
  /** The secret part of the link. */
  readonly token: string
  /** For the forms; without it there are none. */
  readonly csrf: string | undefined
  readonly now: Date
  readonly language: Language
  readonly environment: Environment
  /** Which apps can be opened by name. */
  readonly platform: Platform
  /** Of the attempt that the forms start. */
  readonly attemptId: string
  /** The form as it came, when something in it was wrong. */
  readonly form: EnteredForm | undefined
  readonly notice: 'already_started' | 'out_of_date' | undefined
  /** This browser knows the address of the bank's page. */
  readonly canContinueAtBank: boolean
}

/** What may be shown again: never the number, never the CVV. */
export interface EnteredForm {
  readonly method: 'card' | 'netbanking'
  readonly values: {
    readonly name?: string | undefined
    readonly expiry?: string | undefined
    readonly bank?: string | undefined
  }
  readonly errors: readonly FormError[]
}
