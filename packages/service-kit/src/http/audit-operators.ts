import { once } from 'node:events'
import type { RequestHandler } from 'express'
import { Refused } from '@gateway/contracts'
import type { Audited, Begin } from '../audit/audited.ts'
import { operatorOf } from './bearer.ts'

const MERCHANT_ID = /\bmer_[0-9A-Z]{26}\b/u

/** What the audit takes; only paths that no route has are longer. */
const MAX_TARGET_CHARACTERS = 256

/** Every call of an operator is audited: written down before it acts, and after its answer. */
export function auditOperators(audited: Audited): RequestHandler {
  return async (request, response, next) => {
    let acting = false
    // The path has ids and no secret; a URL to look for is in the body or the query.
    const { method, originalUrl } = request
    const target = `${method} ${originalUrl.split('?', 1).join()}`.slice(0, MAX_TARGET_CHARACTERS)
    const [merchantId = null] = MERCHANT_ID.exec(target) ?? []
    const act = async (begin: Begin) => {
      await begin()
      acting = true
      const answered = once(response, 'close')
      next()
      await answered
      if (response.statusCode >= 400) throw new Refused('forbidden', `The answer was ${response.statusCode}`)
    }
    await audited({ who: operatorOf(response), action: 'operator.call', merchantId, target }, act).catch((error: unknown) => {
      // Once the call is handled, the operator already has an answer.
      if (!acting) throw error
    })
  }
}
