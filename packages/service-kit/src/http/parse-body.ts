import { parse } from 'node:querystring'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { refuseHalfCharacters, Refused, utf8Text } from '@gateway/contracts'
import { isDecodable } from './read-address.ts'
import { readBody } from './read-body.ts'

export const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads a JSON body into `request.body`, which stays `undefined` without one. */
export const readJson: RequestHandler = async (request, _response, next) => {
  const bytes = await readBody(request, { type: JSON_TYPE })
  if (bytes) request.body = parseJson(bytes)
  next()
}

/** Reads a form of a page into `request.body`, an object of texts; a name that came twice has a list. */
export function formReader({ limitBytes, maxFields }: { readonly limitBytes: number; readonly maxFields: number }) {
  return async <P>(request: Request<P>, _response: Response, next: NextFunction): Promise<void> => {
    const bytes = await readBody(request, { type: FORM_TYPE, limitBytes })
    request.body = bytes ? parseForm(bytes, maxFields) : {}
    next()
  }
}

/** Accepts objects and arrays only. Throws `body_not_utf8`, `malformed_json`, and `ValidationFailed` for half of a character. */
export function parseJson(bytes: Buffer): object {
  const text = textOf(bytes)
  const parsed = jsonOf(text)
  if (typeof parsed !== 'object' || parsed === null) throw new Refused('malformed_json', 'The body is not valid JSON')
  refuseHalfCharacters(text, parsed)
  return parsed
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseForm(bytes: Buffer, maxFields: number): object {
  const text = textOf(bytes)
  if (!isDecodable(text)) throw new Refused('body_not_utf8', 'The form is not percent-encoded UTF-8')
  if (text.split('&').length > maxFields) throw new Refused('malformed_request', `The form has more than ${maxFields} fields`)
  return { ...parse(text) }
}

function textOf(bytes: Buffer): string {
  const text = utf8Text(bytes)
  if (text === undefined) throw new Refused('body_not_utf8', 'The body is not UTF-8')
  return text
}
