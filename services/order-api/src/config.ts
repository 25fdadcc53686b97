import { parseAmount } from '@gateway/contracts'
import { readBroker, readDatabase, readServer, type EnvReader } from '@gateway/service-kit'
import { parseUpiCap } from './domain/upi-cap.ts'

export type Config = ReturnType<typeof readOrderApiConfig>

/** Everything that `order-api` reads from its environment. */
export function readOrderApiConfig(env: EnvReader) {
  const server = readServer(env, 8102)
  const { environment } = server
  return {
    ...server,
    ...readDatabase(env, 'order_api'),
    ...readBroker(env),
    jwksUrl: env.serviceUrl('JWKS_URL', environment),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    publicUrl: env.serviceUrl('PUBLIC_URL', environment),
    checkoutLinkKey: env.key('CHECKOUT_LINK_KEY'),
    limits: {
      minAmountPaise: amount(env, 'ORDER_MIN_AMOUNT', '1.00'),
      maxAmountPaise: amount(env, 'ORDER_MAX_AMOUNT', '10000000.00'),
      upiCap: upiCap(env),
    },
  }
}

function amount(env: EnvReader, name: string, fallback: string): number {
  const amountPaise = parseAmount(env.text(name, fallback))
  if (amountPaise === undefined) env.reject(`${name} must be an amount in rupees, such as 1.00`)
  return amountPaise ?? 0
}

function upiCap(env: EnvReader) {
  const cap = parseUpiCap(env.text('UPI_MAX_AMOUNT', '100000.00'))
  if (!cap) env.reject('UPI_MAX_AMOUNT must be an amount, then <mcc>=<amount>, separated by commas')
  return cap ?? { defaultPaise: 0, byMcc: new Map<string, number>() }
}
