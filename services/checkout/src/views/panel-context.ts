import type { Environment } from '@gateway/service-kit'
import type { RefusedForm } from '../domain/card-form.ts'
import type { Outages } from '../domain/outages.ts'
import type { Notice } from '../domain/page-state.ts'
import type { InLanguage } from '../domain/words.ts'

/** Data that every page needs. */
export interface LayoutContext extends InLanguage {
  /** Nonce of the answer's content security policy, carried by our own style and script. */
  readonly nonce: string
  readonly environment: Environment
  /** The page's own path, `/checkout/<token>`. Its token is secret. */
  readonly path: string
}

/** Data for the part of the payment page that changes while the page is open. */
export interface PanelContext extends Omit<LayoutContext, 'nonce'> {
  /** CSRF token of the forms; without it no form is shown. */
  readonly csrf?: string | undefined
  readonly now: Date
  /** Decides which UPI apps can be opened by name. */
  readonly platform: Platform
  /** The id of the attempt that the forms start. */
  readonly attemptId: string
  /** A submitted form with mistakes. */
  readonly form?: RefusedForm | undefined
  readonly notice?: Notice | undefined
  /** True when this browser has the address of the bank's page. */
  readonly canContinueAtBank: boolean
  /** What is down now. */
  readonly outages: Outages
}

/** The browser's platform; it decides how a UPI app can be opened by name. */
export type Platform = 'android' | 'ios' | 'other'

/** `other`, which gets only what every device supports, unless the browser is clearly on Android or iOS. */
export function platformOf(userAgent: string | undefined): Platform {
  if (userAgent === undefined) return 'other'
  if (/Android/u.test(userAgent)) return 'android'
  return /iPhone|iPad|iPod/u.test(userAgent) ? 'ios' : 'other'
}
