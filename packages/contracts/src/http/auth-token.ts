import { compile } from '../schema.ts'

/** The body of `POST /api/v1/auth/token` (design, section 5): a merchant that has no JOSE library asks for its token. */
export interface AuthTokenRequest {
  readonly key_id: string
  readonly key_secret: string
}

export const authTokenSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['key_id', 'key_secret'],
  properties: {
    key_id: { type: 'string', minLength: 1, maxLength: 64 },
    key_secret: { type: 'string', minLength: 1, maxLength: 128 },
  },
} as const

export const authTokenRequest = compile<AuthTokenRequest>(authTokenSchema)

export interface AuthTokenResponse {
  readonly token: string
  readonly token_type: 'Bearer'
  /** Seconds from now. */
  readonly expires_in: number
}

/** The longest that a merchant's token may live, in seconds. */
export const MERCHANT_TOKEN_MAX_SECONDS = 600
