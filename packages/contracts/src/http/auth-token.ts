import { closed, integer, requiredFields, text } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'

/** The body of `POST /api/v1/auth/token` (design, section 5): a merchant without a JOSE library asks for its token. */
export const authTokenSchema = closed({
  required: ['key_id', 'key_secret'],
  properties: {
    key_id: { type: 'string', minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' },
    key_secret: { type: 'string', minLength: 1, maxLength: 128, description: 'text of 1 to 128 characters' },
  },
})

export type AuthTokenRequest = FromSchema<typeof authTokenSchema>
export const authTokenRequest = compile(authTokenSchema)

export const authTokenResponseSchema = requiredFields({
  token: text,
  token_type: { const: 'Bearer' },
  expires_in: { ...integer, description: 'seconds from now' },
})
export type AuthTokenResponse = FromSchema<typeof authTokenResponseSchema>

/** The longest that a merchant's token may live, in seconds. */
export const MERCHANT_TOKEN_MAX_SECONDS = 600
