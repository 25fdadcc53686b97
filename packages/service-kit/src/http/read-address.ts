import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { IncomingMessage } from 'node:http'
import { Refused } from '@gateway/contracts'

/** A time with its zone in which the plus of the zone is a space: `+` stands for a space in a query. */
const TIME_WITHOUT_PLUS = /^(\d{4}-\d{2}-\d{2}T[\d:.]{4,20}) (\d{2}:\d{2})$/iu

/** True for text whose percent-encoding stands for well-formed UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Throws `malformed_request` for an address with other characters than ASCII, or with percent-encoding that is not UTF-8. */
export function checkAddress({ url = '' }: Pick<IncomingMessage, 'url'>): void {
  if (/^[!-~]*$/u.test(url) && isDecodable(url)) return
  throw new Refused('malformed_request', 'The address must be ASCII; other characters are percent-encoded UTF-8')
}

/**
 * The parameters of a query, for all routes of all services. Throws `malformed_request` for percent-encoding that is not UTF-8. In a
 * time, a space where the plus of the zone belongs is read as that plus.
 */
export function readQuery(query: string | null | undefined): ParsedUrlQuery {
  checkAddress({ url: query ?? '' })
  const read = (value: string): string => value.replace(TIME_WITHOUT_PLUS, '$1+$2')
  const given = Object.entries(parse(query ?? ''))
  return Object.fromEntries(given.map(([name, value = '']) => [name, Array.isArray(value) ? value.map(read) : read(value)]))
}
