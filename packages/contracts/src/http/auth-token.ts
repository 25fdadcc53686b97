import { compile, type FromSchema } from '../schema.ts'

/** The body of `POST /api/v1/auth/token` (design, section 5): a merchant without a JOSE library asks for its token. */
export const authTokenSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['key_id', 'key_secret'],
  properties: {
    key_id: { type: 'string', minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' },
    key_secret: { type: 'string', minLength: 1, maxLength: 128, description: 'text of 1 to 128 characters' },
  },
} as const

export type AuthTokenRequest = FromSchema<typeof authTokenSchema>
export const authTokenRequest = compile(authTokenSchema)

export interface AuthTokenResponse {
  readonly token: string
  readonly token_type: 'Bearer'
  /** Seconds from now. */
  readonly expires_in: number
}

/** The longest that a merchant's token may live, in seconds. */
export const MERCHANT_TOKEN_MAX_SECONDS = 600
