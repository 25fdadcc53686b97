/** What a credential may do; each service enforces the scope of its own routes (design, section 5). */
export const SCOPES = ['orders', 'read', 'webhooks', 'credentials', 'refunds', 'reports'] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of a credential that was made without any. `refunds` and `reports` are only given by name. */
export const DEFAULT_SCOPES: readonly Scope[] = ['orders', 'read', 'webhooks', 'credentials']

export function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text)
}
