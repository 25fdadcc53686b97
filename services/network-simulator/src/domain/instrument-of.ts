import { ValidationFailed, type PaymentMethod, type StartPayment } from '@gateway/contracts'
import { cardMethod, describeCard } from './card-networks.ts'
import { bankBehaviour, cardBehaviour, type InstrumentBehaviour } from './instruments.ts'

/** The instrument of a payment. */
export type Instrument = { readonly method: 'upi'; readonly vpa: string } | CardOrBank

export interface CardOrBank {
  /** For a card: credit or debit as the issuer reports it, not as requested. */
  readonly method: Exclude<PaymentMethod, 'upi'>
  /** Never a whole card number: the last four digits and the network, or the bank's code. */
  readonly name: string
  readonly behaviour: InstrumentBehaviour
}

/** Throws `ValidationFailed` when the request has no data for its method. */
export function instrumentOf({ method, upi, card, netbanking }: StartPayment): Instrument {
  if (method === 'upi') return { method, vpa: required(upi, '/upi').vpa }
  if (method === 'netbanking') {
    const { bank } = required(netbanking, '/netbanking')
    return { method, name: bank, behaviour: bankBehaviour(bank) }
  }
  const { number } = required(card, '/card')
  return { method: cardMethod(number), name: describeCard(number), behaviour: cardBehaviour(number) }
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ValidationFailed([{ field, message: 'is required for this method' }])
  return value
}
