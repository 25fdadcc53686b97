import { cancel, markPage } from './hosted-page.ts'
import { failed, HEADINGS, open, shows, staysAndShows, success, type Walk } from './walk.ts'

/** A UPI app pays without the page; the page hears of it. */
export const UPI_WALKS: readonly Walk[] = [
  {
    method: 'upi',
    outcome: 'success',
    ...success,
    paidBy: 'upi',
    webhooks: ['Initiate', 'Success'],
    async run(stage) {
      const page = await open(stage, 'upi')
      await markPage(page)
      await stage.app.pay(stage.intent, 'success@sandbox')
      await staysAndShows(stage, page, HEADINGS.success, 'success')
    },
  },
  {
    method: 'upi',
    outcome: 'failure',
    ...failed('declined'),
    paidBy: 'upi',
    webhooks: ['Initiate', 'Failed'],
    async run(stage) {
      const page = await open(stage, 'upi')
      await markPage(page)
      await stage.app.pay(stage.intent, 'failure@sandbox')
      await staysAndShows(stage, page, HEADINGS.declined, 'declined')
    },
  },
  {
    method: 'upi',
    outcome: 'cancel',
    ...failed('cancelled'),
    paidBy: null,
    webhooks: ['Initiate', 'Failed'],
    async run(stage) {
      const page = await open(stage, 'upi')
      await cancel(page)
      await shows(stage, page, HEADINGS.cancelled, 'cancelled')
    },
  },
  {
    method: 'upi',
    outcome: 'expiry',
    expiresInSeconds: 12,
    ...failed('expired'),
    paidBy: null,
    webhooks: ['Initiate', 'Failed'],
    async run(stage) {
      const page = await open(stage, 'upi')
      await markPage(page)
      await staysAndShows(stage, page, HEADINGS.expired, 'expired')
    },
  },
  {
    method: 'upi',
    outcome: 'tab closed',
    ...success,
    paidBy: 'upi',
    webhooks: ['Initiate', 'Success'],
    async run(stage) {
      await (await open(stage, 'upi')).close()
      await stage.app.pay(stage.intent, 'success@sandbox')
      const page = await stage.shopper.newTab()
      await page.goto(stage.url)
      await shows(stage, page, HEADINGS.success, 'success')
    },
  },
]
