import { cancel, markPage } from './hosted-page.ts'
import { failed, HEADINGS, open, expectResult, expectResultWithoutReload, success, type Journey } from './journey.ts'

/** The shopper pays in a UPI app; the open page shows the result by itself. */
export const UPI_JOURNEYS: readonly Journey[] = [
  {
    method: 'upi',
    outcome: 'success',
    ...success,
    transactionMethod: 'upi',
    webhooks: ['Initiate', 'Success'],
    async run(context) {
      const page = await open(context, 'upi')
      await markPage(page)
      await context.app.pay(context.intent, 'success@sandbox')
      await expectResultWithoutReload(context, page, HEADINGS.success, 'success')
    },
  },
  {
    method: 'upi',
    outcome: 'failure',
    ...failed('declined'),
    transactionMethod: 'upi',
    webhooks: ['Initiate', 'Failed'],
    async run(context) {
      const page = await open(context, 'upi')
      await markPage(page)
      await context.app.pay(context.intent, 'failure@sandbox')
      await expectResultWithoutReload(context, page, HEADINGS.declined, 'declined')
    },
  },
  {
    method: 'upi',
    outcome: 'cancel',
    ...failed('cancelled'),
    transactionMethod: null,
    webhooks: ['Initiate', 'Failed'],
    async run(context) {
      const page = await open(context, 'upi')
      await cancel(page)
      await expectResult(context, page, HEADINGS.cancelled, 'cancelled')
    },
  },
  {
    method: 'upi',
    outcome: 'expiry',
    expiresInSeconds: 20,
    ...failed('expired'),
    transactionMethod: null,
    webhooks: ['Initiate', 'Failed'],
    async run(context) {
      const page = await open(context, 'upi')
      await markPage(page)
      await expectResultWithoutReload(context, page, HEADINGS.expired, 'expired')
    },
  },
  {
    method: 'upi',
    outcome: 'tab closed',
    ...success,
    transactionMethod: 'upi',
    webhooks: ['Initiate', 'Success'],
    async run(context) {
      await (await open(context, 'upi')).close()
      await context.app.pay(context.intent, 'success@sandbox')
      const page = await context.shopper.newTab()
      await page.goto(context.url)
      await expectResult(context, page, HEADINGS.success, 'success')
    },
  },
]
