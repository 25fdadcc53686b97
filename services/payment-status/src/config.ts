import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import { readBroker, readDatabase, readServer, type EnvReader } from '@gateway/service-kit'

export type Config = ReturnType<typeof readPaymentStatusConfig>

/** Everything that `payment-status` reads from its environment. */
export function readPaymentStatusConfig(env: EnvReader) {
  const server = readServer(env, 8103)
  const { environment } = server
  return {
    ...server,
    ...readDatabase(env, 'payment_status'),
    ...readBroker(env),
    jwksUrl: env.serviceUrl('JWKS_URL', environment),
    orderApiUrl: env.serviceUrl('ORDER_API_URL', environment),
    networkUrl: env.serviceUrl('NETWORK_URL', environment),
    networkApiKey: env.secret('NETWORK_API_KEY'),
    networkCallbackKeys: callbackKeys(env),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    publicUrl: env.serviceUrl('PUBLIC_URL', environment),
    checkoutLinkKey: env.key('CHECKOUT_LINK_KEY'),
    timing: {
      enquiryDelaysMs: env.durationsMs('ENQUIRY_DELAYS', '10s,30s,1m,5m,15m,1h'),
      enquiryGraceMs: env.durationMs('ENQUIRY_GRACE', environment === 'sandbox' ? '1s' : '90s'),
      enquiryGiveUpMs: env.durationMs('ENQUIRY_GIVE_UP', '24h'),
      finalEnquiryDelaysMs: env.durationsMs('FINAL_ENQUIRY_DELAYS', '15m,24h'),
      reversalDelaysMs: env.durationsMs('REVERSAL_DELAYS', '5s,30s,2m,10m,1h'),
    },
  }
}

/** `NETWORK_CALLBACK_SECRET`: one or, while it rotates, two secrets separated by a comma. */
function callbackKeys(env: EnvReader): SigningKey[] {
  const secrets = env.list('NETWORK_CALLBACK_SECRET')
  if (secrets.length < 1 || secrets.length > 2) env.reject('NETWORK_CALLBACK_SECRET must be one or two secrets (whsec_…)')
  try {
    return secrets.map(readSigningSecret)
  } catch {
    env.reject('NETWORK_CALLBACK_SECRET must be whsec_ and at least 24 bytes in base64')
    return []
  }
}
