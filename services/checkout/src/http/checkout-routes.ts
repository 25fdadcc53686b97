import { Router } from 'express'
import type { Log } from '@gateway/service-kit'
import { linkUnknown, type Door } from './door.ts'
import { answerErrorPage } from './error-pages.ts'
import { formRoutes, type FormUseCases } from './form-routes.ts'
import { pageRoutes } from './page-routes.ts'

/** The hosted page of a payment: what is looked at, what is sent, and one page for whatever goes wrong. */
export function checkoutRoutes(door: Door, useCases: FormUseCases, log: Log): Router {
  return Router()
    .use(pageRoutes(door))
    .use(formRoutes(door, useCases))
    .use('/checkout', () => {
      throw linkUnknown()
    })
    .use('/checkout', answerErrorPage(door.environment, log))
}
