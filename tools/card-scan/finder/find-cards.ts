import { cardNumbersIn, type Policy } from './card-numbers.ts'
import { schemeOf } from './schemes.ts'
import { viewsOf } from './views.ts'
import { writtenNumbers, type WrittenNumber } from './written-number.ts'

/** A card number that was found. The number itself is only for telling findings apart: it is never printed or stored. */
export interface Finding {
  readonly digits: string
  /** How it is written, such as `plain` or `base64 of separated`. */
  readonly form: string
  /** Where it begins and ends in the text. */
  readonly start: number
  readonly end: number
}

/** Such as a form field in base64 in a document in UTF-16. */
const DEEPEST_VIEW = 2
/**
 * Left out everywhere: the dashes of a UUID join digits to runs that nobody wrote. In a UUID no 13 digits stand together, and no
 * card number is written 8-4-4-4-12.
 */
const UUID = /(?<![0-9A-Za-z])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![0-9A-Za-z])/gu

/** Left out of the engines' files alone, whose table of map projections is full of them: a number with a long fraction. */
const DECIMAL = /(?<![0-9.])[0-9]{1,9}\.[0-9]{9,}(?![0-9.])/gu

/** Every card number in a text (bytes as Latin-1), in every form. A number that two views show is found twice. */
export function findCards(text: string, policy: Policy): Finding[] {
  const withoutUuids = text.replaceAll(UUID, blank)
  return findAtDepth(policy === 'any' ? withoutUuids : withoutUuids.replaceAll(DECIMAL, blank), policy, 0)
}

/** What may be shown of a number: `visa, 16 digits, ends in 1111`. */
export function describe({ digits }: Finding): string {
  return `${schemeOf(digits) ?? 'no known scheme'}, ${digits.length} digits, ends in ${digits.slice(-4)}`
}

/** Of the same length, so that places stay true. */
function blank(left: string): string {
  return '~'.repeat(left.length)
}

function findAtDepth(text: string, policy: Policy, depth: number): Finding[] {
  const found = writtenNumbers(text).flatMap((written) =>
    cardNumbersIn(written, policy).map((digits): Finding => ({
      digits,
      form: formOf(written),
      start: written.index,
      end: written.index + written.text.length,
    })),
  )
  if (depth >= DEEPEST_VIEW) return found
  for (const view of viewsOf(text))
    for (const { digits, form, start, end } of findAtDepth(view.text, policy, depth + 1))
      found.push({ digits, form: `${view.name} of ${form}`, start: view.placeOf(start), end: view.placeOf(end) })
  return found
}

function formOf({ groups, text }: WrittenNumber): string {
  if (text.includes('%')) return 'percent-encoded'
  if (/\\[ux]|&/u.test(text)) return 'escaped'
  return groups.length > 1 ? 'separated' : 'plain'
}
