import { compile, exactFields, KEY_PREFIX, newCredentialSchema, VPA_PATTERN, type Scope } from '@gateway/contracts'

export type Environment = 'sandbox' | 'production'

/** What the internal token tells other services about a merchant. */
export interface MerchantDetails {
  readonly name: string
  readonly vpa: string
  /** Merchant category code, ISO 18245: four digits. */
  readonly mcc: string
}

/** A credential, as the document of its merchant stores it. */
export interface Credential {
  readonly key_id: string
  /** The sealed 32 bytes; `null` once the credential is revoked. */
  readonly sealed_secret: string | null
  readonly status: 'active' | 'revoked'
  readonly created_at: Date
  readonly revoked_at: Date | null
  readonly scopes: readonly Scope[]
  /** The merchant's own note. */
  readonly label: string | null
  /** From then on its tokens are refused; `null` when it does not expire. */
  readonly expires_at: Date | null
  /** The id of the merchant's credential that made it, or `BY_OPERATOR`. */
  readonly made_by: string
}

export const BY_OPERATOR = 'operator'

/** True while tokens of the credential are accepted. */
export function isLive({ status, expires_at }: Credential, now: Date): boolean {
  return status === 'active' && (expires_at === null || expires_at > now)
}

/** A merchant with its credentials, as stored. */
export interface Merchant extends MerchantDetails {
  readonly _id: string
  readonly created_at: Date
  /** Counts the changes of the credentials. */
  readonly version: number
  readonly credentials: readonly Credential[]
}

/** One credential with its merchant. */
export interface OwnedCredential {
  readonly merchantId: string
  readonly merchant: MerchantDetails
  readonly credential: Credential
}

/** `key_sandbox_…` or `key_live_…`, from 12 random bytes. It never has nine digits in a row, which could look like a card number. */
export function keyIdFrom(environment: Environment, random: Buffer): string {
  return KEY_PREFIX[environment] + random.toString('hex').replaceAll(/([0-9]{8})[0-9]/gu, '$1a')
}

/** Binds a sealed secret to its credential: it cannot be opened for another one. */
export function secretContext(keyId: string): string {
  return `credential/${keyId}`
}

export const newMerchantRequest = compile(
  exactFields(
    {
      name: { type: 'string', minLength: 1, maxLength: 100, format: 'plain-text', pattern: '\\S' },
      vpa: { type: 'string', pattern: VPA_PATTERN, format: 'plain-text' },
      mcc: { type: 'string', pattern: '^\\d{4}$' },
    },
    { scopes: newCredentialSchema.properties.scopes },
  ),
)
