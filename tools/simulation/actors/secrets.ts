/** The secrets that sign a merchant's webhooks. */
export interface WebhookSecrets {
  readonly payments: string
  readonly refunds: string
}
