import { formatPaise } from '@gateway/contracts'
import type { OpenPage } from '../use-cases/bank-page.ts'
import { html, type Html } from '@gateway/service-kit'

const STYLE = html`
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif } body { margin: 0; min-height: 100vh; display: grid;
  place-items: center; background: Canvas; color: CanvasText } main { width: min(24rem, 100% - 2rem); border: 1px solid #8886;
  border-radius: 1rem; padding: 1.5rem; box-sizing: border-box } h1 { font-size: 1.25rem; margin: 0 0 .5rem } .amount { font-size:
  2rem; font-weight: 700; margin: .5rem 0 } .note { color: #8a5a00; background: #ffe9b8; border-radius: .5rem; padding: .5rem
  .75rem; margin: 0 0 1rem; font-size: .875rem } button { display: block; width: 100%; font: inherit; font-weight: 600; padding:
  .75rem; margin-top: .75rem; border-radius: .625rem; border: 1px solid #8886; background: transparent; color: inherit; cursor:
  pointer } button[value='success'] { background: #0b6b3a; border-color: #0b6b3a; color: #fff }
`

/** The page of a bank or an issuer: the shopper says how the payment ends. */
export function bankPage({ payment, page }: OpenPage, nonce: string): Html {
  return document(
    nonce,
    'Confirm your payment',
    html`<p>${payment.instrument ?? ''}</p>
      <p class="amount">₹${formatPaise(payment.amountPaise)}</p>
      <p>${page.description}</p>
      <form method="post">
        <button name="outcome" value="success">Success</button>
        <button name="outcome" value="failure">Failure</button>
        <button name="outcome" value="cancel">Cancel</button>
      </form>`,
  )
}

/** What is left of the page once the payment is decided. */
export function decidedPage({ payment, page }: OpenPage, nonce: string): Html {
  const said = payment.outcome === 'success' ? 'This payment was approved.' : 'This payment was not approved.'
  return document(
    nonce,
    'Already decided',
    html`<p>${said}</p>
      <p><a href="${page.returnUrl}">Back to the payment page</a></p>`,
  )
}

export function unknownPage(nonce: string): Html {
  return document(nonce, 'Not found', html`<p>This address is not valid.</p>`)
}

function document(nonce: string, title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Sandbox bank</title>
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p class="note">Sandbox bank: no real money moves.</p>
          ${content}
        </main>
      </body>
    </html>`
}
