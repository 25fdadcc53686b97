import {
  readBroker,
  readCallers,
  readCallbackKeys,
  readCheckoutLinkKeys,
  readDatabase,
  readJwksUrl,
  readNetworkApiKey,
  readNetworkUsesProxy,
  readQueuePartitions,
  readServer,
  readServiceToken,
  type EnvReader,
  type Environment,
} from '@gateway/service-kit'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'payment_status'

export type Config = ReturnType<typeof readPaymentStatusConfig>

/** The configuration of `payment-status`, read from its environment. */
export function readPaymentStatusConfig(env: EnvReader) {
  const server = readServer(env, 8103)
  const { environment } = server
  return {
    ...server,
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    queuePartitions: readQueuePartitions(env),
    jwksUrl: readJwksUrl(env),
    orderApiUrl: env.serviceUrl('ORDER_API_URL', 'where order-api is'),
    networkUrl: env.serviceUrl('NETWORK_URL', "where the network's connector is"),
    networkApiKey: readNetworkApiKey(env),
    networkUsesProxy: readNetworkUsesProxy(env),
    networkCallbackKeys: readCallbackKeys(env, 2),
    callers: readCallers(env),
    serviceToken: readServiceToken(env),
    /** The audit of merchants; `undefined`: only the log shows who asked for a refund. */
    auditUrl: env.optionalServiceUrl(
      'AUTH_TOKEN_URL',
      'URL of auth-token, which keeps the audit of merchants; when unset, only the log shows their refunds',
    ),
    publicUrl: env.serviceUrl('PUBLIC_URL', "the gateway's address as shoppers see it"),
    checkoutLinkKey: readCheckoutLinkKeys(env)[0],
    timing: readTiming(env, environment),
    orderComparisonAfterMs: env.durationMs(
      'ORDER_COMPARISON_AFTER',
      '5m',
      'how long an order may lack its transaction, since its event was lost, before it is fetched from order-api',
    ),
  }
}

function readTiming(env: EnvReader, environment: Environment) {
  const grace = environment === 'sandbox' ? '1s' : '90s'
  return {
    enquiryDelaysMs: env.durationsMs(
      'ENQUIRY_DELAYS',
      '10s,30s,1m,5m,15m,1h',
      'pauses between enquiries about an attempt without an answer; the last one repeats',
    ),
    upiEnquiryDelaysMs: readUpiDelays(env, environment),
    enquiryGraceMs: env.durationMs('ENQUIRY_GRACE', grace, 'how long after the order\'s end a "not found" answer is ignored'),
    enquiryGiveUpMs: env.durationMs(
      'ENQUIRY_GIVE_UP',
      '24h',
      'an attempt that is unanswered after this time, and after one full enquiry schedule, is failed as `unconfirmed`',
    ),
    finalEnquiryDelaysMs: env.durationsMs(
      'FINAL_ENQUIRY_DELAYS',
      '15m,24h',
      'when the network is asked again after a final status, to find money that came late',
    ),
    reversalDelaysMs: env.durationsMs(
      'REVERSAL_DELAYS',
      '5s,30s,2m,10m,1h',
      'pauses between requests of one reversal; the last one repeats',
    ),
    refundDelaysMs: env.durationsMs(
      'REFUND_DELAYS',
      '5s,30s,2m,10m,1h',
      'pauses between requests of one refund; the last one repeats',
    ),
  }
}

/** NPCI's rule for UPI: the first check 90 s after the payment, three at most. The sandbox's UPI is asked like other methods. */
function readUpiDelays(env: EnvReader, environment: Environment): number[] | undefined {
  const fallback = environment === 'sandbox' ? 'as ENQUIRY_DELAYS' : '90s,10m'
  const meaning = "pauses before enquiries about UPI, from the payment or the order's end; one more comes before giving up"
  const text = env.text('UPI_ENQUIRY_DELAYS', fallback, meaning, 'durations, separated by commas, or `as ENQUIRY_DELAYS`')
  return text === 'as ENQUIRY_DELAYS' ? undefined : env.durationsMs('UPI_ENQUIRY_DELAYS', fallback, meaning)
}
