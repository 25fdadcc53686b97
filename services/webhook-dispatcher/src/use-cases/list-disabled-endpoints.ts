import type { Disabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

export interface DisabledUrl extends Disabled {
  readonly merchantId: string
  readonly url: string
  readonly failingSince: Date
}

export interface DisabledPage {
  readonly disabled: readonly DisabledUrl[]
  /** The merchant id after which the next page begins; `undefined` on the last one. */
  readonly next?: string
}

/** The disabled URLs, ordered by merchant id. `limit` counts merchants. */
export type ListDisabledEndpoints = (page: { limit: number; after?: string | undefined }) => Promise<DisabledPage>

export function makeListDisabledEndpoints(endpoints: Pick<Endpoints, 'withDisabled'>): ListDisabledEndpoints {
  return async ({ limit, after }) => {
    const found = await endpoints.withDisabled({ limit: limit + 1, after })
    const page = found.slice(0, limit)
    const disabled = page.flatMap(({ id: merchantId, health }) =>
      health.flatMap(({ url, failingSince, disabled: why }) => (why ? [{ merchantId, url, failingSince, ...why }] : [])),
    )
    const last = page.at(-1)
    return found.length > limit && last ? { disabled, next: last.id } : { disabled }
  }
}
