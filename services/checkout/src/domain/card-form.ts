import type { OrderMethod, PaymentMethod, StartPayment } from '@gateway/contracts'
import { banksIn } from './banks.ts'
import { readCardNumber, readCvv, readExpiry, readName, type FormErrorCode, type Read } from './card-fields.ts'

export type FormField = 'card_number' | 'card_expiry' | 'card_cvv' | 'card_name' | 'bank'

export interface FormError {
  readonly field: FormField
  readonly code: FormErrorCode
}

/** The payment methods that have a form; UPI has a link instead. */
export type FormMethod = Exclude<OrderMethod, 'upi'>

/** The instrument for the one request to the network. It is never stored, logged or shown. */
export interface Instrument {
  readonly method: PaymentMethod
  readonly details: Pick<StartPayment, 'card' | 'netbanking'>
}

/** Values that may be shown again: only valid ones, so a card number typed into the wrong field is never shown. */
interface FormValues {
  readonly name?: string
  readonly expiry?: string
  readonly bank?: string
}

/** A form with all of its mistakes, which the page shows again. */
export interface RefusedForm {
  readonly method: FormMethod
  readonly values: FormValues
  readonly errors: readonly FormError[]
}

type Fields = Readonly<Record<string, unknown>>

interface FormContext {
  readonly now: Date
  readonly environment: 'sandbox' | 'production'
  /** Codes of banks that are down. */
  readonly hiddenBanks?: readonly string[]
}

/** Reads the form of one method. Returns the instrument, or every mistake in the form. */
export function readPayForm(
  method: FormMethod,
  fields: Fields,
  { now, environment, hiddenBanks = [] }: FormContext,
): Instrument | RefusedForm {
  return method === 'card' ? readCard(fields, now) : readBank(fields, environment, hiddenBanks)
}

/** True for a form with mistakes. */
export function isRefused(form: Instrument | RefusedForm): form is RefusedForm {
  return 'errors' in form
}

function readCard(fields: Fields, now: Date): Instrument | RefusedForm {
  const number = readCardNumber(textOf(fields['card_number']))
  const expiry = readExpiry(textOf(fields['card_expiry']), now)
  const cvv = readCvv(textOf(fields['card_cvv']), 'value' in number ? number.value.network : undefined)
  const name = readName(textOf(fields['card_name']))
  if ('value' in number && 'value' in expiry && 'value' in cvv && 'value' in name) {
    const { digits, network } = number.value
    const { month, year } = expiry.value
    const card = { number: digits, expiry_month: month, expiry_year: year, cvv: cvv.value, name: name.value }
    // A first guess: the method in the network's report replaces it.
    return { method: network?.id === 'maestro' ? 'debit_card' : 'credit_card', details: { card } }
  }
  return {
    method: 'card',
    values: {
      ...('value' in name ? { name: name.value } : {}),
      ...('value' in expiry ? { expiry: `${expiry.value.month}/${expiry.value.year.slice(2)}` } : {}),
    },
    errors: [
      ...errorOf('card_number', number),
      ...errorOf('card_expiry', expiry),
      ...errorOf('card_cvv', cvv),
      ...errorOf('card_name', name),
    ],
  }
}

function readBank(
  fields: Fields,
  environment: 'sandbox' | 'production',
  hiddenBanks: readonly string[],
): Instrument | RefusedForm {
  const code = textOf(fields['bank']).trim()
  if (hiddenBanks.includes(code)) return { method: 'netbanking', values: {}, errors: [{ field: 'bank', code: 'bank_down' }] }
  if (banksIn(environment).some((bank) => bank.code === code))
    return { method: 'netbanking', details: { netbanking: { bank: code } } }
  return { method: 'netbanking', values: {}, errors: [{ field: 'bank', code: code === '' ? 'required' : 'bank_unknown' }] }
}

function errorOf(field: FormField, read: Read<unknown>): FormError[] {
  return 'error' in read ? [{ field, code: read.error }] : []
}

/** A field that is missing or sent twice counts as empty. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
