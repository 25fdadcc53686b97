import type { ErrorRequestHandler } from 'express'
import type { Log } from '@gateway/service-kit'
import { html, problemAnswer, toProblem, type Html } from '@gateway/service-kit/http'
import { requestIdOf } from './forward.ts'

const TRY_AGAIN_AFTER_SECONDS = '5'
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A shopper's browser that is over a limit, or that cannot reach checkout, gets a page that tries again; programs get the problem. */
export function answerShopper(linkOf: (path: string) => string | undefined, log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { status } = toProblem(error)
    const isPassing = status === 429 || status >= 502
    if (response.headersSent || !isPassing || request.accepts(['json', 'html']) !== 'html') {
      next(error)
      return
    }
    const { headers } = problemAnswer(error, requestIdOf(response), log)
    const seconds = headers['retry-after'] ?? TRY_AGAIN_AFTER_SECONDS
    response.status(status).set({ ...headers, ...PAGE_HEADERS })
    response.send(tryAgainPage(`/checkout/${linkOf(request.originalUrl) ?? ''}`, seconds).markup)
  }
}

function tryAgainPage(path: string, seconds: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>One moment, please</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="refresh" content="${seconds}; url=${path}" />
      </head>
      <body>
        <main>
          <h1>One moment, please</h1>
          <p>We cannot show this payment right now. If you have paid already, please do not pay again.</p>
          <p>This page tries again in ${seconds} seconds. <a href="${path}">Try again now</a></p>
          <div lang="hi">
            <h2>कृपया थोड़ी प्रतीक्षा करें</h2>
            <p>हम अभी यह भुगतान नहीं दिखा पा रहे हैं। यदि आप भुगतान कर चुके हैं, तो कृपया दोबारा भुगतान न करें।</p>
            <p>यह पेज ${seconds} सेकंड में फिर से कोशिश करेगा। <a href="${path}">अभी फिर से कोशिश करें</a></p>
          </div>
        </main>
      </body>
    </html>`
}
