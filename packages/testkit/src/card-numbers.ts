/** Every form in which programs write card numbers, for tests of what finds them (contracts, card-numbers/find-cards.ts). */
import { hasValidCheckDigit } from '@gateway/contracts'

/** The digit that completes `digits` to a number that passes the Luhn check. */
export function checkDigit(digits: string): string {
  return Array.from('0123456789').find((digit) => hasValidCheckDigit(digits + digit)) ?? ''
}

/** Four digits at a time; the last group takes the rest. */
function grouped(digits: string, separator: string): string {
  return digits.match(/\d{1,4}/gu)?.join(separator) ?? ''
}

function eachByte(text: string, write: (byte: number) => string): string {
  return Array.from(Buffer.from(text), write).join('')
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0')
const percent = (text: string): string => eachByte(text, (byte) => `%${hexOf(byte).toUpperCase()}`)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const base64Url = (text: string): string => Buffer.from(text).toString('base64url')
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/** From a number's digits to the bytes that stand for it. */
export const PLANTED_FORMS: Readonly<Record<string, (digits: string) => string | Buffer>> = {
  plain: (digits) => digits,
  'with letters around it': (digits) => `card${digits}x`,
  spaces: (digits) => grouped(digits, ' '),
  dashes: (digits) => grouped(digits, '-'),
  dots: (digits) => grouped(digits, '.'),
  slashes: (digits) => grouped(digits, '/'),
  'no-break spaces': (digits) => grouped(digits, '\u00a0'),
  'no-break spaces in Latin-1': (digits) => Buffer.from(grouped(digits, '\u00a0'), 'latin1'),
  'thin spaces': (digits) => grouped(digits, '\u2009'),
  'en dashes': (digits) => grouped(digits, '\u2013'),
  'a line each': (digits) => grouped(digits, '\r\n'),
  'digit by digit': (digits) => Array.from(digits).join(' '),
  'no-break spaces escaped in JSON': (digits) => grouped(digits, String.raw`\u00a0`),
  'new lines escaped in JSON': (digits) => grouped(digits, String.raw`\n`),
  'digits escaped in JSON': (digits) => eachByte(digits, (byte) => String.raw`\u00${hexOf(byte)}`),
  'a form field': (digits) => `card_name=Asha&card_number=${grouped(digits, '+')}&bank=`,
  'percent-encoded spaces': (digits) => grouped(digits, '%20'),
  'percent-encoded no-break spaces': (digits) => grouped(digits, '%C2%A0'),
  'percent-encoded digits': (digits) => percent(digits),
  'percent-encoded all of it': (digits) => percent(grouped(digits, '-')),
  'percent-encoded twice': (digits) => encodeURIComponent(percent(digits)),
  'HTML entities': (digits) => eachByte(digits, (byte) => `&#${byte};`),
  'full-width digits': (digits) => Array.from(digits, (digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
  'Devanagari digits': (digits) => Array.from(digits, (digit) => String.fromCodePoint(0x966 + Number(digit))).join(''),
  'base64, first alignment': (digits) => base64(digits),
  'base64, second alignment': (digits) => base64(`"${digits}"`),
  'base64, third alignment': (digits) => base64(`n=${digits}&x=1`),
  'base64url of a JSON body': (digits) => base64Url(`{"card":{"number":"${digits}","name":"Ásha ÿ?>"}}`),
  'base64 in the middle of base64': (digits) => `A7b${base64(`card ${digits}`)}`,
  'base64 of groups': (digits) => base64(grouped(digits, ' ')),
  'base64 in a JSON body': (digits) => JSON.stringify({ payload: base64(`{"number":"${digits}"}`) }),
  'base64 in a form': (digits) => `PaRes=${encodeURIComponent(base64(`<pan>${digits}</pan>>>???`))}&MD=1`,
  'base64 twice': (digits) => base64(base64(`card=${digits}`)),
  'base64 of UTF-16': (digits) => Buffer.from(digits, 'utf16le').toString('base64'),
  hex: (digits) => Buffer.from(digits).toString('hex'),
  'hex in the middle of hex': (digits) => `7b22a${Buffer.from(digits).toString('hex').toUpperCase()}227d`,
  'hex of groups': (digits) => Buffer.from(grouped(digits, '-')).toString('hex'),
  'hex bytes apart': (digits) => eachByte(digits, (byte) => `${hexOf(byte)} `),
  'escaped bytes': (digits) => eachByte(digits, (byte) => String.raw`\x${hexOf(byte)}`),
  'UTF-16': (digits) => Buffer.from(digits, 'utf16le'),
  'UTF-16, big end first': (digits) => bigEndian(digits),
  'UTF-16 of groups': (digits) => Buffer.from(`card ${grouped(digits, ' ')}`, 'utf16le'),
}
