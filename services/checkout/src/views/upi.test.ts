import { platformOf } from './panel-context.ts'
import { appChoices } from './upi.ts'

const INTENT = 'upi://pay?pa=shop@sandbox&pn=Asha%20%26%20Sons&tr=T1&am=499.00'
const QUERY = 'pa=shop@sandbox&amp;pn=Asha%20%26%20Sons&amp;tr=T1&amp;am=499.00'
const linksFor = (platform: 'android' | 'ios'): string[] =>
  [...(appChoices(INTENT, platform, 'Apps')?.markup.matchAll(/href="([^"]*)"/gu) ?? [])].map(([, link = '']) => link)

test.each([
  ['Mozilla/5.0 (Linux; Android 13; M2006C3LI) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148 Safari/604.1', 'ios'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'other'],
  ['Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5', 'other'],
  ['', 'other'],
  [undefined, 'other'],
])('%s is %s', (userAgent, platform) => {
  expect(platformOf(userAgent)).toBe(platform)
})

test('Android opens an app by its package name, with all parameters of the link', () => {
  const links = linksFor('android')
  expect(links).toHaveLength(4)
  expect(links[0]).toBe(`intent://pay?${QUERY}#Intent;scheme=upi;package=com.google.android.apps.nbu.paisa.user;end`)
  for (const link of links) expect(link).toContain(`intent://pay?${QUERY}#Intent;scheme=upi;package=`)
})

test('iOS opens an app by its scheme', () => {
  expect(linksFor('ios')).toEqual(
    ['gpay://upi/pay', 'phonepe://pay', 'paytmmp://pay', 'bhim://pay'].map((prefix) => `${prefix}?${QUERY}`),
  )
})

test('on other platforms apps have no address', () => {
  expect(appChoices(INTENT, 'other', 'Apps')).toBeUndefined()
})
