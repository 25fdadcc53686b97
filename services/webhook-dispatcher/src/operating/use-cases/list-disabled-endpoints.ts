import { type Disabled, type EndpointId, type EndpointOwner, type Endpoints, ownerOf } from '../../endpoints/index.ts'

export interface DisabledUrl extends Disabled, EndpointOwner {
  readonly url: string
  readonly failingSince: Date
}

export interface DisabledPage {
  readonly disabled: readonly DisabledUrl[]
  /** The endpoint after which the next page begins; `undefined` on the last one. */
  readonly next?: EndpointId
}

/** The disabled URLs, ordered by endpoint. `limit` counts endpoints. */
export type ListDisabledEndpoints = (page: { limit: number; after?: EndpointId | undefined }) => Promise<DisabledPage>

export function makeListDisabledEndpoints(endpoints: Pick<Endpoints, 'withDisabled'>): ListDisabledEndpoints {
  return async ({ limit, after }) => {
    const found = await endpoints.withDisabled({ limit: limit + 1, after })
    const page = found.slice(0, limit)
    const disabled = page.flatMap(({ id, health }) =>
      health.flatMap(({ url, failingSince, disabled: why }) => (why ? [{ ...ownerOf(id), url, failingSince, ...why }] : [])),
    )
    const last = page.at(-1)
    return found.length > limit && last ? { disabled, next: last.id } : { disabled }
  }
}
