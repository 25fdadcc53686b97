import { Router } from 'express'
import type { Log } from '@gateway/service-kit'
import { linkUnknown, type CheckoutContext } from './checkout-context.ts'
import { answerErrorPage } from './error-pages.ts'
import { formRoutes, type FormUseCases } from './form-routes.ts'
import { pageRoutes } from './page-routes.ts'

/** All routes under `/checkout`: pages, forms, and one error page for every failure. */
export function checkoutRoutes(checkout: CheckoutContext, useCases: FormUseCases, log: Log): Router {
  return Router()
    .use(pageRoutes(checkout))
    .use(formRoutes(checkout, useCases))
    .use('/checkout', () => {
      throw linkUnknown()
    })
    .use('/checkout', answerErrorPage(checkout.environment, log))
}
