/** What the report hides of a receiver's answers. */
import { redactUrl } from '../src/redact.ts'
import { createTranscript } from '../src/transcript.ts'

const SECRET = 'whsec_ab/cd+efGHIJKLMNOPQRSTUVWXYZabcdefghijkl/='

/** What a transcript shows of a receiver's answer. */
function shownOf(body: string): string {
  const transcript = createTranscript([SECRET])
  const request = { line: 'POST /hook', headers: {}, body: '' }
  transcript.add({ at: '', kind: 'webhook', note: '', request, response: { line: '500', headers: {}, body } })
  return transcript.entries()[0]?.response.body ?? ''
}

// Proves: certify/transcripts-are-redacted
describe('an answer of the receiver', () => {
  const core = SECRET.slice('whsec_'.length)
  const html = (text: string): string => text.replaceAll('+', '&#43;').replaceAll('/', '&#x2F;').replaceAll('=', '&#x3D;')

  test.each<[string, string]>([
    ['as it is', `env ${SECRET}`],
    ['in JSON with escaped slashes', `{"debug":"${SECRET.replaceAll('/', String.raw`\/`)}"}`],
    [
      'in JSON with escaped code points',
      `{"debug":"${core.replaceAll('/', String.raw`\u002F`).replaceAll('+', String.raw`\u002b`)}"}`,
    ],
    ['in JSON within JSON', JSON.stringify({ debug: JSON.stringify({ env: SECRET }).replaceAll('/', String.raw`\/`) })],
    ['as the name of a field', JSON.stringify({ [SECRET]: 1 })],
    ['in JSON that is incomplete', `{"debug":"${SECRET.replaceAll('/', String.raw`\/`)}`],
    ['without its prefix', `key=${core}`],
    ['without its padding', `key=${core.replace('=', '')}`],
    ['in HTML', `<pre>${html(SECRET)}</pre>`],
    ['in HTML with names of characters', `<pre>${core.replaceAll('/', '&sol;').replaceAll('+', '&plus;')}</pre>`],
    ['in a URL', `https://shop.example/?debug=${encodeURIComponent(SECRET)}`],
    ['in Base64url', core.replaceAll('/', '_').replaceAll('+', '-')],
  ])('shows no signing secret %s', (_what, body) => {
    const shown = shownOf(body)
    expect(shown).toContain('[redacted]')
    for (const part of ['ab', 'cd', 'ghijkl', 'GHIJKLMNOPQRSTUVWXYZ']) expect(shown).not.toContain(part)
  })

  test.each<[string, string]>([
    ['a bearer token', 'headers: authorization: "Bearer HIDE.x-y"'],
    ['a bearer token in a sentence', JSON.stringify({ message: 'sent Bearer HIDE and failed' })],
    ['a JWS', 'the value eyJIREUiOiJkaXIi.HIDE.HIDE is invalid'],
    ['a JWE', JSON.stringify({ message: 'eyJhbGciOiJkaXIifQ..HIDE.HIDE.HIDE' })],
    ['a checkout link', 'see https://g.example/checkout/HIDE/pay'],
    ['a checkout link in incomplete JSON', String.raw`{"message":"https:\/\/g.example\/checkout\/HIDE`],
    ['a checkout link in a text field', JSON.stringify({ message: 'see /checkout/HIDE' })],
    ['a UPI intent', 'open upi://pay?pa=HIDE&am=1'],
    ['an e-mail address', '<pre>mail HIDE.x@example.com</pre>'],
    ['a VPA', JSON.stringify({ message: 'HIDE@upi has paid' })],
    ['a field in text', 'customer_name=HIDE RAO'],
    ['a field in incomplete JSON', '{"customer":{"name":"HIDE"'],
    ['a field after other text', 'Warning: x\n{"customer":{"name":"HIDE"}}'],
    ['a field in HTML', '&quot;phone&quot;: HIDE'],
    ['a field whose name is repeated', '{"a":{"customer":"HIDE"},"a":1}'],
  ])('does not show %s', (_what, body) => {
    const shown = shownOf(body)
    expect(shown).not.toMatch(/HIDE|Bearer|eyJ/u)
  })

  test.each([
    'authorization',
    'customer_email',
    'customerPhone',
    'vpa',
    'payer_vpa',
    'checkout_url',
    'checkoutLink',
    'accessToken',
    'key_secret',
    'E-Mail',
  ])('does not show the field %s', (name) => {
    expect(shownOf(JSON.stringify({ status: 'Success', nested: [{ [name]: 'HIDE' }] }))).toBe(
      JSON.stringify({ status: 'Success', nested: [{ [name]: '[redacted]' }] }),
    )
  })

  test('shows a mobile number neither in a sentence nor in HTML, but a number that may be an order id', () => {
    expect(shownOf(JSON.stringify({ message: 'call +91 9876543210' }))).toBe('{"message":"call [redacted]"}')
    expect(shownOf('<b>9876543210</b>')).toBe('<b>[redacted]</b>')
    expect(shownOf('{ "order_id": "9876543210" }')).toBe('{ "order_id": "9876543210" }')
  })

  test('is not shown when it is longer than 64 KiB or nested too deeply', () => {
    expect(shownOf(JSON.stringify({ customer: 'HIDE', junk: 'x'.repeat(70_000) }))).toBe(
      '[not shown: longer than 65536 characters]',
    )
    expect(shownOf(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBe('[not shown: nested too deeply]')
  })

  /** Texts that a pattern without bounds would read again from each of their characters. */
  test.each(['x', '\\', '&', 'token', 'eyJ', 'a@', 'checkout/', '%25', '"', '[', 'ab/'])(
    'of 64 KiB of %j is shown in part',
    (part) => {
      expect(shownOf(part.repeat(Math.floor(65_536 / part.length))).length).toBeLessThan(2100)
    },
  )

  test('shows its address without user and query', () => {
    expect(redactUrl(new URL('http://user:HIDE@localhost:3000/hook?token=HIDE#HIDE'))).toBe('http://localhost:3000/hook')
  })
})
